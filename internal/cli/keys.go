package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// keyForm is how a key looks. Whether it is one, its server says.
var keyForm = regexp.MustCompile(`^sl[ap]_[0-9A-Za-z]{36}$`)

// A keptKey is one line of the file of keys.
type keptKey struct {
	Server  string `json:"server"`
	Key     string `json:"key"`
	Handle  string `json:"handle,omitempty"`
	Project string `json:"project_id,omitempty"` // of a project key
}

// keysMax bounds the file of keys, in bytes: a line has 200, and each publish adds one or two.
const keysMax = 8 << 20

// A keyring is the file of keys, one JSON object a line. Lines are only ever added, each at once, so that no two commands that run
// at the same time lose one another's keys; of those that cover the same, the last counts.
type keyring struct {
	path  string
	again string // the command at hand
}

func (env *Env) keyring() (keyring, error) {
	folder, err := env.Config()
	if err != nil {
		return keyring{}, fmt.Errorf("there is no folder for the keys: %w; set HOME, or give the key in %s", err, keyVariable)
	}
	return keyring{filepath.Join(folder, "sandlot", "keys"), env.again()}, nil
}

// unusable says what is wrong with the file of keys, and how to have it elsewhere.
func (k keyring) unusable(what string, err error) error {
	variable := "HOME"
	if os.Getenv("XDG_CONFIG_HOME") != "" {
		variable = "XDG_CONFIG_HOME"
	}
	return &Failure{
		Message: what + ": " + cause(err).Error() + "; nothing was sent", Notes: []string{"Keep them in another folder, now and with later commands:"},
		Fix: []string{variable + "='<folder for keys>' " + k.again}, Exit: exitOther, cause: err,
	}
}

// add keeps keys, which are durable when it returns. Without keys it only finds out whether it could.
func (k keyring) add(keys ...keptKey) error {
	if err := k.append(keys); err != nil {
		return k.unusable("keys cannot be kept in "+k.path, err)
	}
	return nil
}

func (k keyring) append(keys []keptKey) error {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(k.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errors.New("it is no plain file"))
	}
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	text, err := lines(keys, endsWithin(f, info.Size()))
	if err != nil || len(text) == 0 {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// lines writes keys, on lines of their own even if the file ends within one.
func lines(keys []keptKey, within bool) ([]byte, error) {
	var out bytes.Buffer
	if within && len(keys) > 0 {
		out.WriteByte('\n')
	}
	for _, key := range keys {
		if err := json.NewEncoder(&out).Encode(key); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// endsWithin reports whether a file of that size ends within a line.
func endsWithin(f *os.File, size int64) bool {
	last := make([]byte, 1)
	if size == 0 {
		return false
	}
	_, err := f.ReadAt(last, size-1)
	return err != nil || last[0] != '\n'
}

// read returns the keys of a server, oldest first. Lines that are damaged are not among them.
func (k keyring) read(server string) (keys []keptKey, err error) {
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(f, keysMax+1)); err == nil && len(text) > keysMax {
			err = errors.New("it is larger than a file of keys can be")
		}
		for line := range bytes.Lines(text) {
			var key keptKey
			if json.Unmarshal(line, &key) == nil && key.Server == server && keyForm.MatchString(key.Key) {
				keys = append(keys, key)
			}
		}
	}
	if err != nil {
		return nil, k.unusable("the keys in "+k.path+" cannot be read", err)
	}
	return keys, nil
}

// accountKey is the last key of a whole account.
func accountKey(keys []keptKey) (found keptKey) {
	for _, key := range keys {
		if strings.HasPrefix(key.Key, "sla_") {
			found = key
		}
	}
	return found
}

// projectKey is the key to change one project with: its own, for that may do the least, unless its account was logged in since.
func projectKey(keys []keptKey, id string) (found keptKey) {
	for _, key := range keys {
		whole := strings.HasPrefix(key.Key, "sla_")
		if !whole && key.Project == id || whole && (found.Project == "" || found.Handle == key.Handle) {
			found = key
		}
	}
	return found
}
