package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"sandlot/proof/bench/rig"
)

// pocketRow compares durable publishes with creating a comparable record in PocketBase: with the same file, without a
// login. PocketBase by default syncs neither its log (synchronous is NORMAL there) nor its files. The rate of a
// PocketBase that syncs its log is printed beside it.
func pocketRow(ctx context.Context, b *bench) ([]line, error) {
	bin, err := b.tool(ctx, "pocketbase", pocketModule)
	if err != nil {
		return nil, err
	}
	synced, err := b.syncedPocket(ctx)
	if err != nil {
		return nil, err
	}
	asItComes, err := b.againstPocket(ctx, bin)
	if err != nil {
		return nil, err
	}
	withSync, err := b.againstPocket(ctx, synced)
	if err != nil {
		return nil, err
	}
	return []line{
		asItComes.line("the same, against PocketBase creating a record with the file", "/s", 4),
		withSync.line("the same, against PocketBase that syncs its log in every commit", "/s", 0),
	}, nil
}

func (b *bench) againstPocket(ctx context.Context, bin string) (pair, error) {
	content := text(smallSize)
	return b.pairs(
		func() (float64, error) { return b.publishSmall(ctx, content) },
		func() (float64, error) { return b.pocketRecords(ctx, bin, content) })
}

// pocketRecords returns the records that a fresh PocketBase stores in a second.
func (b *bench) pocketRecords(ctx context.Context, bin string, content []byte) (float64, error) {
	dir, err := b.Folder("pocket")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "data") // PocketBase writes migrations beside it
	const admin, password = "bench@example.com", "bench-bench-bench"
	if out, err := exec.CommandContext(ctx, bin, "superuser", "upsert", admin, password, "--dir", data).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("superuser: %w\n%s", err, out)
	}
	addr, err := rig.FreePort()
	if err != nil {
		return 0, err
	}
	p, err := b.Start(ctx, addr, bin, "serve", "--http", addr, "--dir", data)
	if err != nil {
		return 0, err
	}
	defer p.Kill()
	if err := pocketCollection(ctx, addr, admin, password); err != nil {
		return 0, err
	}
	body, contentType := pocketBody(content)
	request := rig.Post("/api/collections/games/records", addr, contentType, "", body)
	t, err := rig.Crowd(ctx, addr, smallClients, 0, b.limit, func(l *rig.Lane, _, _ int) error {
		_, err := l.Want(http.StatusOK, request)
		return err
	})
	return t.Rate(), err
}

// pocketCollection makes a collection with a file, open to all.
func pocketCollection(ctx context.Context, addr, admin, password string) error {
	l, err := rig.NewLane(ctx, addr)
	if err != nil {
		return err
	}
	defer l.Close()
	login := "{" + rig.JSON("identity", admin) + "," + rig.JSON("password", password) + "}"
	b, err := l.Want(http.StatusOK,
		rig.Post("/api/collections/_superusers/auth-with-password", addr, "application/json", "", []byte(login)))
	if err != nil {
		return err
	}
	var auth struct{ Token string }
	if err := json.Unmarshal(b, &auth); err != nil {
		return err
	}
	const collection = `{"name":"games","type":"base","createRule":"","viewRule":"","fields":[` +
		`{"name":"title","type":"text"},{"name":"file","type":"file","maxSelect":1,"maxSize":10485760}]}`
	_, err = l.Want(http.StatusOK, rig.Post("/api/collections", addr, "application/json", auth.Token, []byte(collection)))
	return err
}

// pocketBody returns a multipart body with one file.
func pocketBody(content []byte) (body []byte, contentType string) {
	const boundary = "----------------------------bench"
	b := fmt.Appendf(nil, "--%s\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA small game\r\n", boundary)
	b = fmt.Appendf(b,
		"--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"index.html\"\r\nContent-Type: "+
			"text/html\r\n\r\n%s\r\n--%s--\r\n", boundary, content, boundary)
	return b, "multipart/form-data; boundary=" + boundary
}
