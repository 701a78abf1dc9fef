package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
)

const (
	markerName = "sandlot-instance"
	probeName  = "sandlot-probe"
	probeText  = "ok\n"

	// mostMarker is how many bytes of a marker are read: an id is shorter.
	mostMarker = 256
)

// ErrNotOurs: the bucket belongs to another instance, or to an unknown owner.
var ErrNotOurs = errors.New("not the bucket of this instance")

var instanceForm = regexp.MustCompile(`^[A-Za-z0-9_-]{8,128}$`)

// claim makes sure that the bucket is this instance's. Without conditional requests, which not every store has, it
// writes the marker, waits, and reads it back: of two that find an empty bucket at once the one that wrote last owns
// it, and the other is refused.
func (s *Store) claim(ctx context.Context) error {
	if s.opts.Instance == "" && s.opts.Existing {
		return s.reach(ctx)
	}
	if !instanceForm.MatchString(s.opts.Instance) {
		return errors.New("the id of an instance has 8 to 128 letters and digits")
	}
	owner, err := s.marker(ctx)
	if err != nil {
		return err
	}
	if owner != "" {
		if err := s.isOurs(owner); err != nil || s.opts.Existing {
			return err
		}
		return s.isWritable(ctx)
	}
	if s.opts.Existing {
		return fmt.Errorf("%w: it has no object %s, so no instance has used it", ErrNotOurs, *s.key(markerName))
	}
	// Somebody deleted the marker, or the prefix is another's: better to refuse than to collect their blobs.
	if err := s.isEmpty(ctx); err != nil {
		return err
	}
	if err := s.putObject(ctx, s.key(markerName), []byte(s.opts.Instance+"\n")); err != nil {
		return err
	}
	select {
	case <-time.After(s.limits.settle):
	case <-ctx.Done():
		return ctx.Err()
	}
	if owner, err = s.marker(ctx); err != nil {
		return err
	}
	return s.isOurs(owner)
}

func (s *Store) isOurs(owner string) error {
	switch {
	case owner == s.opts.Instance:
		return nil
	case owner == "":
		return fmt.Errorf("%w: its object %s vanished while it was looked at", sandlot.ErrUnavailable, *s.key(markerName))
	}
	return fmt.Errorf("%w: its object %s names another one. Two instances on one bucket would delete each other's files: "+
		"give this one another bucket, or another prefix in the URL", ErrNotOurs, *s.key(markerName))
}

// isWritable returns an error if the keys may only read. A bucket that is full or slow is used all the same: its blobs
// can be read.
func (s *Store) isWritable(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, s.limits.connect)
	defer cancel()
	if err := s.send(short, s.key(probeName), []byte(probeText)); isDenied(err) {
		return s.explained(ctx, err)
	}
	return ctx.Err()
}

// marker returns the owner of the bucket; empty if there is none. Any other object under its name counts as an owner.
func (s *Store) marker(ctx context.Context) (string, error) {
	short, cancel := s.within(ctx, 0)
	defer cancel()
	out, err := s.client.GetObject(short, &sdk.GetObjectInput{Bucket: &s.config.Bucket, Key: s.key(markerName)})
	if isMissing(err) {
		return "", nil
	}
	if err != nil {
		return "", s.explained(ctx, err)
	}
	defer out.Body.Close()
	held, err := io.ReadAll(io.LimitReader(out.Body, mostMarker))
	if err != nil {
		return "", s.explained(ctx, err)
	}
	if owner := strings.TrimSpace(string(held)); owner != "" {
		return owner, nil
	}
	return "(an empty one)", nil
}

// isEmpty returns an error if there are blobs. Other objects do not matter: they are never touched.
func (s *Store) isEmpty(ctx context.Context) error {
	for name, err := range s.objects(ctx, s.all(), s.now().Add(2*ahead)) {
		if err != nil {
			return err
		}
		if _, ok := refOf(name); ok {
			return fmt.Errorf("%w: it holds blobs, but no object %s that says whose. "+
				"If they are this instance's, put an object of that name there whose content is the line %s",
				ErrNotOurs, *s.key(markerName), s.opts.Instance)
		}
	}
	return nil
}

// reach makes a request about the bucket alone.
func (s *Store) reach(ctx context.Context) error {
	in := s.all()
	in.MaxKeys = aws.Int32(1)
	_, err := s.page(ctx, in)
	return err
}

// Ping reads the marker and writes a small object, always the same. It returns nil while Put can be expected to work,
// sandlot.ErrFull while there is no room, ErrNotOurs if another instance has taken the bucket since, and otherwise
// sandlot.ErrUnavailable, with the reason. An answer is repeated for a second.
func (s *Store) Ping(ctx context.Context) error {
	return s.pulse.Ask(ctx, s.now(), func() error {
		short, cancel := context.WithTimeout(ctx, s.limits.connect)
		defer cancel()
		err := s.probe(short)
		if short.Err() != nil && err != nil {
			err = fmt.Errorf("probe blobs: %w: the store of the bucket %s did not answer within %v",
				sandlot.ErrUnavailable, s.config.Bucket, s.limits.connect)
		}
		return err
	})
}

func (s *Store) probe(ctx context.Context) error {
	var err error
	if s.opts.Instance != "" {
		var owner string
		if owner, err = s.marker(ctx); err == nil {
			err = s.isOurs(owner)
		}
	}
	if err == nil && !s.opts.Existing {
		err = s.putObject(ctx, s.key(probeName), []byte(probeText))
	} else if err == nil {
		err = s.reach(ctx)
	}
	if err != nil {
		return fmt.Errorf("probe blobs: %w", err)
	}
	return nil
}
