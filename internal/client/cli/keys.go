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
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// keyForm matches the form of a key. Only the server knows whether the key is valid.
var keyForm = regexp.MustCompile(`^sl[ap]_[0-9A-Za-z]{36}$`)

// accessPrefix begins an access token, which is the key of a login.
const accessPrefix = "slo_"

// A keptKey is one line of the file of keys: a key, or a login.
type keptKey struct {
	Server  string    `json:"server"`
	Key     string    `json:"key"` // of a login: its access token
	Handle  string    `json:"handle,omitempty"`
	Project string    `json:"project_id,omitempty"`    // of a project key, or a login to one project
	Refresh string    `json:"refresh_token,omitempty"` // of a login
	Expires time.Time `json:"expires_at,omitzero"`     // when the access token ends
}

// login reports whether the line is a login.
func (k keptKey) login() bool { return k.Refresh != "" && strings.HasPrefix(k.Key, accessPrefix) }

// whole reports whether the key is for all of an account.
func (k keptKey) whole() bool {
	return strings.HasPrefix(k.Key, "sla_") || k.login() && k.Project == ""
}

// replaces reports whether both are logins for the same account or project, of which one is kept.
func (k keptKey) replaces(other keptKey) bool {
	same := k.Server == other.Server && k.Handle == other.Handle && k.Project == other.Project
	return same && k.login() && other.login()
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
	unlock, err := k.lock()
	if err == nil {
		err = appendLines(k.path, keys)
		unlock()
	}
	return k.unkept(err)
}

func (k keyring) unkept(err error) error {
	if err != nil {
		return fmt.Errorf("keys cannot be kept in %s: %w; nothing was sent", k.path, cause(err))
	}
	return nil
}

// lock waits until no other command writes the file.
func (k keyring) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(k.path + ".lock").Lock()
}

// rewrite removes the lines that match, and puts others in the place of the first one. The file is replaced whole or not
// at all; lines that this program does not know stay. The caller holds the lock.
func (k keyring) rewrite(match func(keptKey) bool, others ...keptKey) error {
	text, err := readSmall(k.path, linesMax)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var one keptKey
		if json.Unmarshal(line, &one) != nil || !match(one) {
			out.Write(line)
			continue
		}
		out.Write(encodedLines(others))
		others = nil
	}
	return replaceFile(k.path, out.Bytes())
}

// read returns the keys of a server, oldest first. It skips damaged lines.
func (k keyring) read(server string) (keys []keptKey, err error) {
	err = readLines(k.path, func(key keptKey) {
		if key.Server == server && (keyForm.MatchString(key.Key) || key.login()) {
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
		if key.whole() {
			found = key
		}
	}
	return found
}

// projectKey returns the key for changes to a project: its own key, which permits the least, unless its account has
// logged in since.
func projectKey(keys []keptKey, id string) (found keptKey) {
	for _, key := range keys {
		whole := key.whole()
		if !whole && key.Project == id || whole && (found.Project == "" || found.Handle == key.Handle) {
			found = key
		}
	}
	return found
}

// The files in the settings folder have one JSON object a line. Lines are appended, and related lines in one write, so
// that commands that run at the same time do not lose each other's lines. Only the file of keys is ever rewritten, under
// its lock.

// linesMax is the size limit of such a file, in bytes: a line has 200, and each publish adds one to three.
const linesMax = 8 << 20

// appendLines adds lines, which are durable when it returns. Without lines it only checks that the file can be written.
func appendLines[T any](path string, list []T) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(encodedLines(list))
	return errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
}

// encodedLines returns the lines of a list.
func encodedLines[T any](list []T) []byte {
	var text bytes.Buffer
	for _, one := range list {
		line, _ := json.Marshal(one)       // only strings and times, which cannot fail
		fmt.Fprintf(&text, "\n%s\n", line) // begins a new line, even after a line that a crash cut off
	}
	return text.Bytes()
}

// replaceFile replaces a file that only the user can read, whole or not at all. The text is durable when it returns.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // is gone after the renaming
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
