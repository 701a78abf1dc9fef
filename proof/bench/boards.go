package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"sandlot/proof/bench/rig"
)

// boardRows is how many players the board has: as many as one may have.
const boardRows = 100_000

// boardsRow compares lists and ranks of a full board with a bare handler that writes the same bytes from memory.
func boardsRow(ctx context.Context, b *bench) (lines []line, err error) {
	s, project, err := b.board(ctx)
	if err != nil {
		return nil, err
	}
	if err := rig.SeedBoard(ctx, filepath.Join(s.Data, "sandlot.db"), project, boardRows-1); err != nil {
		return nil, err
	}
	dir, err := b.Folder("boards")
	if err != nil {
		return nil, err
	}
	player := "X-Sandlot-Player: " + rig.BoardPlayer
	for i, a := range []asking{
		{"the first 100", "/.sandlot/scores/main?limit=100", nil, 0.2},
		{"the first and the rank of a player in the middle", "/.sandlot/scores/main?limit=1", []string{player}, 0.02},
		{"the ten around that player", "/.sandlot/scores/main?around=true", []string{player}, 0.015},
	} {
		l, err := b.boardLine(ctx, s, project, filepath.Join(dir, fmt.Sprint(i)), a)
		if err != nil {
			return lines, err
		}
		lines = append(lines, l)
	}
	return lines, s.Remove()
}

// boardLine measures one form of request against its answer in a file of a folder of its own.
func (b *bench) boardLine(ctx context.Context, s *rig.Service, project, dir string, a asking) (line, error) {
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return line{}, err
	}
	defer l.Close()
	more := ""
	for _, h := range a.headers {
		more += h + "\r\n"
	}
	body, err := l.Want(http.StatusOK, rig.Get(a.path, s.Host(project), more))
	if err != nil {
		return line{}, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return line{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "0"), body, 0o600); err != nil {
		return line{}, err
	}
	bare, err := b.startOwn(ctx, "send", dir)
	if err != nil {
		return line{}, err
	}
	defer bare.Kill()
	p, err := b.pairs(
		func() (float64, error) {
			defer s.Profile("board", int(b.limit.Seconds()))()
			return rig.Wrk(ctx, b.limit, "http://"+s.Addr+a.path, append([]string{"Host: " + s.Host(project)}, a.headers...)...)
		},
		func() (float64, error) { return rig.Wrk(ctx, b.limit, "http://"+bare.Addr+"/0") })
	return p.line("of a board of 100,000 rows, "+a.what+", against a bare handler that writes the same bytes", "/s", a.reach), err
}
