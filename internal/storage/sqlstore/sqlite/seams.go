package sqlite

import "time"

// OnCommit makes replace run in place of this and all later commits; it gets the function that commits. It is for tests
// of a disk that fails.
func (t *Tx) OnCommit(replace func(commit func() error) error) {
	commit := t.w.commit
	t.w.commit = func() error { return replace(commit) }
}

// Commits returns the number of commits, and of the steps that shared them.
func (e *Engine) Commits() (commits, steps int64) {
	return e.write.commits.Load(), e.write.steps.Load()
}

func (e *Engine) Waiting() int { return len(e.write.queue) }

// Queries returns the statements that readers and the writer have run so far, for a look at their plans.
func (t *Tx) Queries(e *Engine) []string {
	list := e.read.queries()
	for q := range t.w.stmts {
		list = append(list, q)
	}
	return list
}

// LimitLog sets how long the log may get, in bytes, and how old overwritten pages may get in it; 0 leaves a limit as
// it is.
func (e *Engine) LimitLog(bytes int64, age time.Duration) {
	if bytes > 0 {
		e.log.max.Store(bytes)
	}
	if age > 0 {
		e.log.age.Store(int64(age))
	}
}
