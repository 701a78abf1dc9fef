//go:build !linux

package browser

import (
	"context"
	"errors"
)

// User is the user of a worker and its browser.
type User struct{}

var errLinux = errors.New("the play-tester needs the namespaces of Linux")

var errMemory = errors.New("never")

// Stages of a worker process.
const (
	StageRoom = "room"
	StagePage = "page"
)

// FindUser returns the user of trials.
func FindUser(string) (User, error) { return User{}, errLinux }

// Shows reports whether a browser may read anything of that folder.
func Shows(string) bool { return false }

// Work runs the worker's process, in one of its stages.
func Work(context.Context, string) error { return errLinux }

func (*Browser) work(context.Context, order, *origin) (report, error) { return report{}, errLinux }
