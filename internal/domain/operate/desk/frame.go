package desk

import (
	"context"
	"crypto/hmac"
	"encoding/base32"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// framed stands between the project and the code in the label of a frame: no project id has "--", and no version's
// label "--d".
const framed = "--desk-"

// Codes of frames: ten letters of 5 bits.
const codeLetters = 10

var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Frame returns the label of an origin on which the current version of a project is served for an hour or two, to be
// framed by the desk: without network, also while the project is suspended, held or in the trash. A later version has
// another label.
func (s *Service) Frame(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (label string, err error) {
	if err := s.moderator(by); err != nil {
		return "", err
	}
	p, err := s.project(ctx, id)
	if err != nil {
		return "", err
	}
	return string(id) + framed + s.frameCode(p, s.hour()), nil
}

// Framed returns the project of a frame's label, with the version that Frame made it for. A label that is not valid now
// is sandlot.ErrNotFound. Anybody may call it: the label is the right to see.
func (s *Service) Framed(ctx context.Context, by sandlot.Caller, label string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	id, code, ok := strings.Cut(label, framed)
	if !ok || len(code) != codeLetters || !names.ValidProjectID(id) {
		return sandlot.Project{}, sandlot.ErrNotFound
	}
	p, err := s.project(ctx, sandlot.ProjectID(id))
	if err != nil {
		return p, err
	}
	for _, hour := range []int64{s.hour(), s.hour() - 1} {
		if hmac.Equal([]byte(code), []byte(s.frameCode(p, hour))) {
			return p, nil
		}
	}
	return sandlot.Project{}, sandlot.ErrNotFound
}

// IsFrame reports whether a label of a host has the form of a frame's.
func IsFrame(label string) bool { return strings.Contains(label, framed) }

// hour returns the number of the hour that it is now.
func (s *Service) hour() int64 { return s.Now().Unix() / int64(time.Hour/time.Second) }

func (s *Service) frameCode(p sandlot.Project, hour int64) string {
	sum := s.vault.Keyed("desk frame", string(p.ID)+" "+strconv.Itoa(p.Version)+" "+strconv.FormatInt(hour, 10))
	return lower.EncodeToString(sum[:])[:codeLetters]
}

// project returns a project that is not deleted for good.
func (s *Service) project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	if !names.ValidProjectID(string(id)) {
		return sandlot.Project{}, sandlot.ErrNotFound
	}
	return s.Store.Shown(ctx, id)
}
