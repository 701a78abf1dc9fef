//go:build !linux

package browser

import (
	"context"
	"errors"
)

// User is whose processes a worker and its browser are.
type User struct{}

var errLinux = errors.New("the play-tester needs the namespaces of Linux")

var errMemory = errors.New("never")

// Stages of a worker process.
const (
	StageRoom = "room"
	StagePage = "page"
)

// FindUser returns who trials run as.
func FindUser(string) (User, error) { return User{}, errLinux }

// Shows reports whether a browser may read anything of that folder.
func Shows(string) bool { return false }

// Work is the worker's process, in one of its stages.
func Work(context.Context, string) error { return errLinux }

func (*Browser) work(context.Context, order, *origin) (heard, error) { return heard{}, errLinux }
