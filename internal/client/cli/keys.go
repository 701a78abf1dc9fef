package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// keyForm matches the form of a key. Only the server knows whether the key is valid.
var keyForm = regexp.MustCompile(`^sl[ap]_[0-9A-Za-z]{36}$`)

// A keptKey is one line of the file of keys.
type keptKey struct {
	Server  string `json:"server"`
	Key     string `json:"key"`
	Handle  string `json:"handle,omitempty"`
	Project string `json:"project_id,omitempty"` // of a project key
}

// A keyring is the file of keys; of several keys for the same account or project, the last counts.
type keyring struct{ path string }

func (env *Env) keyring() (keyring, error) {
	folder, err := env.Config()
	if err != nil {
		return keyring{}, fmt.Errorf("there is no folder for the keys: %w; set HOME, or give the key in %s", err, keyVariable)
	}
	return keyring{filepath.Join(folder, "sandlot", "keys")}, nil
}

// add stores keys, which are durable when it returns. Without keys it only checks that the file can be written.
func (k keyring) add(keys ...keptKey) error {
	if err := appendLines(k.path, keys); err != nil {
		return fmt.Errorf("keys cannot be kept in %s: %w; nothing was sent", k.path, cause(err))
	}
	return nil
}

// read returns the keys of a server, oldest first. It skips damaged lines.
func (k keyring) read(server string) (keys []keptKey, err error) {
	err = readLines(k.path, func(key keptKey) {
		if key.Server == server && keyForm.MatchString(key.Key) {
			keys = append(keys, key)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("the keys in %s cannot be read: %w; nothing was sent", k.path, cause(err))
	}
	return keys, nil
}

// accountKey returns the last account key.
func accountKey(keys []keptKey) (found keptKey) {
	for _, key := range keys {
		if strings.HasPrefix(key.Key, "sla_") {
			found = key
		}
	}
	return found
}

// projectKey returns the key for changes to a project: its own key, which permits the least, unless its account has
// logged in since.
func projectKey(keys []keptKey, id string) (found keptKey) {
	for _, key := range keys {
		whole := strings.HasPrefix(key.Key, "sla_")
		if !whole && key.Project == id || whole && (found.Project == "" || found.Handle == key.Handle) {
			found = key
		}
	}
	return found
}

// The files in the settings folder have one JSON object a line. Lines are only appended, and related lines in one
// write, so that commands that run at the same time do not lose each other's lines.

// linesMax is the size limit of such a file, in bytes: a line has 200, and each publish adds one to three.
const linesMax = 8 << 20

// appendLines adds lines, which are durable when it returns. Without lines it only checks that the file can be written.
func appendLines[T any](path string, list []T) error {
	var text bytes.Buffer
	for _, one := range list {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n%s\n", line) // begins a new line, even after a line that a crash cut off
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
}

// readLines yields the valid lines of a file, oldest first. A file that does not exist has none.
func readLines[T any](path string, yield func(T)) error {
	text, err := readSmall(path, linesMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range bytes.Lines(text) {
		var one T
		if json.Unmarshal(line, &one) == nil {
			yield(one)
		}
	}
	return err
}
