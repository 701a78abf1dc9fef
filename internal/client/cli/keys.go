package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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

// A keyring is the file of keys; of those that cover the same, the last counts.
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

func (k keyring) append(keys []keptKey) error { return appendLines(k.path, keys) }

// warnOpen tells that others can read the file of keys, which this program never allows.
func (env *Env) warnOpen(path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		env.say("warning: others on this machine may read the keys in %s\n    %s", path, command("chmod", "600", path))
	}
}

// read returns the keys of a server, oldest first. Lines that are damaged are not among them.
func (k keyring) read(server string) (keys []keptKey, err error) {
	err = readLines(k.path, func(key keptKey) {
		if key.Server == server && keyForm.MatchString(key.Key) {
			keys = append(keys, key)
		}
	})
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
