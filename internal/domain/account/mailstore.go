package account

import (
	"context"
	"time"

	"sandlot"
)

// A MailStore keeps the messages that are to be sent and what they lead to, under the same
// promises as a publish.Store.
type MailStore interface {
	// ClaimJobs returns jobs that are due, need not wait for what is busy, and nobody else has
	// claimed, at most limit, and keeps others from them for as long as from now to until, by the
	// clock that all users of the store share, not by theirs. Logins come first, and among equals
	// what is due first. A job is also due if that seems to be more than JobWaitMax ahead. One that
	// is damaged is put off for JobWaitMax, and told by sandlot.ErrCorrupt beside the jobs.
	ClaimJobs(ctx context.Context, now, until time.Time, busy Busy, limit int) ([]sandlot.Job, error)
	// CountMail counts the message of a job, which may not be sent yet, in all of the shares at
	// that time, or, if one of them has as many as it may after since, in none: ErrTooOften. One
	// that is counted already stays as it is. What seems to be sent after that time, a wrong clock
	// left.
	CountMail(ctx context.Context, job int64, shares []Share, at, since time.Time) error
	// FinishJob removes a job. Its message counts at that time if it was sent, and no more
	// otherwise. One that was not sent and that somebody else has claimed since j's Claim is
	// sandlot.ErrNotFound.
	FinishJob(ctx context.Context, j sandlot.Job, sent bool, at time.Time) error
	// RetryJob makes a job due again, with one more attempt. One that somebody else has claimed
	// since j's Claim is sandlot.ErrNotFound.
	RetryJob(ctx context.Context, j sandlot.Job, due time.Time) error
	// AddVerification records a token of an account's current unverified address, and returns the
	// account's handle; another address, one that is verified, or that of a suspended account is
	// sandlot.ErrMoved.
	AddVerification(ctx context.Context, v Verification) (handle string, err error)
	// WriteLogin records what the message of a login says in place of what a former one said, and
	// returns the address as accounts have it, which may differ in case from what was typed. A
	// login that is proved, and an address that no account has verified, is sandlot.ErrNotFound.
	WriteLogin(ctx context.Context, id int64, m LoginMessage, now time.Time) (address string, err error)
	// Claimant returns the account that was made last of those that the address of a login was
	// given for, whatever its case, and that have not verified it. None, and a login that is
	// proved, is sandlot.ErrNotFound.
	Claimant(ctx context.Context, id int64, now time.Time) (sandlot.Account, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
	// AddEmailLink records a token for the newest move of an account with this address and Undo,
	// and returns the account's handle. A proposal that is not the last, and any of a suspended
	// account, is sandlot.ErrNotFound.
	AddEmailLink(ctx context.Context, token sandlot.Digest, m EmailMove, now time.Time) (handle string, err error)
	// ReportOfJob returns what the message of a job says of a report.
	ReportOfJob(ctx context.Context, job int64) (ReportNotice, error)
	// StopOf is that of StopStore.
	StopOf(ctx context.Context, mailbox sandlot.Digest, kind string, now time.Time) (sandlot.Stop, error)
}
