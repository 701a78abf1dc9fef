//go:build !linux

package sqlite

// vfsParameter asks for no VFS but SQLite's own: see freeze_linux.go for what another
// one is for.
const vfsParameter = ""

func registered() error { return nil }
