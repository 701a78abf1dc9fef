package cli

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A meter shows how far an upload is: as a bar on a terminal, in some lines elsewhere.
type meter struct {
	env   *Env
	bar   *progressbar.ProgressBar // nil: lines
	size  int64
	sent  atomic.Int64 // bytes
	told  atomic.Int64 // tenths that a line has told
	quiet bool
}

// meter begins to show an upload of that size.
func (env *Env) meter(size int64, quiet bool) *meter {
	m := &meter{env: env, size: size, quiet: quiet}
	if columns := env.columns(); !quiet && columns >= barLeast {
		m.bar = progressbar.NewOptions64(size, append(barOptions(columns), progressbar.OptionSetWriter(env.Err), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())...)
	}
	return m
}

// Widths of a terminal, in columns.
const (
	barLeast = 20 // less has no room for a bar
	barBare  = 40 // less has none for a word
	barWhole = 80 // less has none for times
)

// barOptions let a bar fit into a line: one that is longer would be a new line each time.
func barOptions(columns int) []progressbar.Option {
	const percent = len(" 100% || ")
	const word = "sending"
	switch {
	case columns >= barWhole:
		return []progressbar.Option{progressbar.OptionSetDescription(word), progressbar.OptionSetWidth(columns - 40)}
	case columns >= barBare:
		return []progressbar.Option{progressbar.OptionSetDescription(word), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetWidth(columns - percent - len(word) - 1)}
	}
	return []progressbar.Option{progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetWidth(columns - percent - 1)}
}

// columns is the width of the terminal where people read; 0: it is none, or one that moves no cursor, or nobody looks at.
func (env *Env) columns() int {
	f, ok := env.Err.(*os.File)
	kind, _ := env.Lookup("TERM")
	ci, _ := env.Lookup("CI")
	if !ok || kind == "dumb" || ci != "" && ci != "false" {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// add counts bytes that were sent, or that have to be sent again.
func (m *meter) add(n int64) {
	sent := m.sent.Add(n)
	if m.bar != nil {
		_ = m.bar.Set64(min(sent, m.size)) // what cannot be shown is not worth an error
	}
}

// has counts parts that an earlier run has sent.
func (m *meter) has(parts int, u upload) {
	m.add(min(int64(parts)*partSize, u.size))
	if !m.quiet {
		m.env.say("going on: %d of %d parts are there", parts, u.total())
	}
}

// part tells, without a bar, each tenth.
func (m *meter) part() {
	tenth := m.sent.Load() * 10 / m.size
	if m.bar == nil && !m.quiet && m.told.Swap(tenth) < tenth {
		m.env.say("sent %s of %s", amount(min(m.sent.Load(), m.size)), amount(m.size))
	}
}

func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Exit()
	}
}

// counted is a reader whose bytes the meter shows.
type counted struct {
	io.Reader
	m *meter
	n atomic.Int64
}

func (m *meter) count(r io.Reader) *counted { return &counted{Reader: r, m: m} }

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	c.m.add(int64(n))
	return n, err
}

// Close implements io.Closer; there is nothing to close.
func (c *counted) Close() error { return nil }

// undo takes back what was counted, for it is sent again.
func (c *counted) undo() {
	if c != nil {
		c.m.add(-c.n.Swap(0))
	}
}
