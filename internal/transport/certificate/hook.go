package certificate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/libdns/libdns"
)

// A Hook sets and deletes DNS records by an external program: a command, which is called with "present" or "cleanup",
// the name of a TXT record with a dot at its end, and the value; or a URL, to which the same is sent. These are the
// forms of lego's providers exec and httpreq, for which many programs exist.
type Hook struct {
	Target string        // path of the command, or an https URL
	Login  string        // user:password for the URL; empty: none
	Wait   time.Duration // the longest call; 0: two minutes

	client *http.Client // nil: the default
}

// saidMax is the most of a hook's output that an error quotes, in bytes.
const saidMax = 400

// Check fails if the command cannot be run.
func (h *Hook) Check() error {
	if h.web() {
		return nil
	}
	_, err := exec.LookPath(h.Target)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s is not executable: chmod +x it", h.Target)
	}
	return err
}

func (h *Hook) web() bool { return strings.HasPrefix(h.Target, "https://") }

// AppendRecords implements libdns.RecordAppender.
func (h *Hook) AppendRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	return records, h.each(ctx, "present", zone, records)
}

// DeleteRecords implements libdns.RecordDeleter.
func (h *Hook) DeleteRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	return records, h.each(ctx, "cleanup", zone, records)
}

func (h *Hook) each(ctx context.Context, act, zone string, records []libdns.Record) error {
	call := h.run
	if h.web() {
		call = h.post
	}
	most := cmp.Or(h.Wait, 2*time.Minute)
	for _, r := range records {
		ctx, cancel := context.WithTimeout(ctx, most)
		err := call(ctx, act, libdns.AbsoluteName(r.RR().Name, zone), r.RR().Data)
		if ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("it took longer than %s", most)
		}
		cancel()
		if err != nil {
			return fmt.Errorf("dns hook %s %s: %w", h.Target, act, err)
		}
	}
	return nil
}

// run calls the command. It is ended with all that it started when ctx ends.
func (h *Hook) run(ctx context.Context, act, name, value string) error {
	cmd := exec.CommandContext(ctx, h.Target, act, name, value)
	// The variables of the service hold its secrets.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SANDLOT_") })
	cmd.WaitDelay = time.Second // a child of it may keep the output open
	endWhole(cmd)
	said, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // the command itself succeeded
	}
	if err != nil && len(said) > 0 {
		return fmt.Errorf("%w, and it said %q", err, said[:min(len(said), saidMax)])
	}
	return err
}

// post sends a record to the URL.
func (h *Hook) post(ctx context.Context, act, name, value string) error {
	body, err := json.Marshal(map[string]string{"fqdn": name, "value": value})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(h.Target, "/")+"/"+act, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if user, password, ok := strings.Cut(h.Login, ":"); ok {
		r.SetBasicAuth(user, password)
	}
	res, err := cmp.Or(h.client, http.DefaultClient).Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, saidMax)) // only quoted
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %s: %q", res.Status, said)
	}
	return nil
}
