package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/client/client"
	"sandlot/proof/bench/rig"
)

const (
	accounts   = 4
	projects   = 24               // enough for full rows
	coverFound = 30 * time.Second // many times what the worker takes for all
)

// furnish publishes projects with covers, and returns one.
func furnish(ctx context.Context, s *rig.Service) (project string, err error) {
	draw := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, accounts)
	for i := range keys {
		made, err := s.API("").Signup(ctx, client.Fields{Email: fmt.Sprintf("maker-%d@example.com", i), Handle: rig.SeededHandle(i)})
		if err != nil {
			return "", err
		}
		keys[i] = made.APIKey
	}
	for i := range projects {
		archive, err := game(draw, fmt.Sprintf("Moon garden %d, in which rabbits dig", i))
		if err != nil {
			return "", err
		}
		made, err := s.API(keys[i%accounts]).Send(ctx,
			client.Request{Call: "publish", ContentType: "application/zip", Body: bytes.NewReader(archive)})
		if err != nil {
			return "", err
		}
		project = made.ProjectID
	}
	return project, covered(ctx, s, project)
}

// game is the ZIP of a small page with a cover, which is as hard to compress as a photograph.
func game(draw *rand.Rand, title string) ([]byte, error) {
	picture := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	from, to := draw.IntN(200), draw.IntN(200)
	for y := range 720 {
		for x := range 1280 {
			grain := draw.IntN(40)
			picture.SetRGBA(x, y,
				color.RGBA{uint8(from + x*50/1280 + grain/4), uint8(to + y*50/720 + grain/4), uint8((x/80+y/80)%2*90 + grain), 255})
		}
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, write := range map[string]func(io.Writer) error{
		"index.html": func(w io.Writer) error {
			_, err := io.WriteString(w,
				"<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>"+title+"</title><p>Play")
			return err
		},
		"cover.jpg": func(w io.Writer) error { return jpeg.Encode(w, picture, nil) },
	} {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		if err := write(w); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

// host is where the pages are.
func host(s *rig.Service) string { return "localhost" + s.Addr[strings.LastIndex(s.Addr, ":"):] }

// covered waits until a project has its cover: it was published last.
func covered(ctx context.Context, s *rig.Service, project string) error {
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return err
	}
	defer l.Close()
	for until := time.Now().Add(coverFound); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		page, err := l.Want(http.StatusOK, rig.Get("/p/"+project, host(s), ""))
		if err != nil {
			return err
		}
		if poster, _, _ := strings.Cut(string(page), "</picture>"); strings.Contains(poster, "<picture>") {
			return nil
		}
	}
	return fmt.Errorf("%s has no cover after %s", project, coverFound)
}
