package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
)

// headMax bounds how much of a message is read to find its recipient: ours have less than 1 KiB before the body.
const headMax = 16 << 10

// Forget deletes all messages to an address from the folder dir, in which a Folder wrote them, and syncs it. Case makes
// no difference. A missing folder has none. Files that are no messages stay. After a failure it continues with the
// other files.
func Forget(ctx context.Context, dir, address string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read mail folder: %w", err)
	}
	var failed []error
	gone := false
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".eml") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		to, err := recipient(path)
		if err == nil && strings.EqualFold(to, address) {
			err, gone = remove(path), true
		}
		if err != nil && len(failed) < 3 {
			failed = append(failed, fmt.Errorf("delete message: %w", err))
		}
	}
	if gone {
		failed = append(failed, syncFolder(dir))
	}
	return errors.Join(failed...)
}

// recipient reads the recipient of a message; empty if the file is none.
func recipient(path string) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	m, err := netmail.ReadMessage(io.LimitReader(file, headMax))
	if err != nil {
		return "", nil // no message
	}
	to, err := netmail.ParseAddress(m.Header.Get("To"))
	if err != nil {
		return "", nil
	}
	return to.Address, nil
}
