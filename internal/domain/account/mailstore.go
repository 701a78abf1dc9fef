package account

import (
	"context"
	"time"

	"sandlot"
)

// A MailStore keeps the messages that are to be sent and the tokens in them, under the same promises as a
// publish.Store.
type MailStore interface {
	// ClaimJobs returns jobs that are due, need not wait for a busy lane, and are not claimed, at most limit, and
	// leases them for the time from now to until, by the clock that all users of the store share, not by theirs. Logins
	// come first, and among equals the earliest due. A job that seems due more than JobWaitMax ahead is due, too, but for a reminder. A
	// damaged job is put off for JobWaitMax, and reported as sandlot.ErrCorrupt beside the jobs.
	ClaimJobs(ctx context.Context, now, until time.Time, busy Busy, limit int) ([]sandlot.Job, error)
	// CountMail counts the message of a job, which must not have been sent yet, in all of the shares at that time, or,
	// if one of them has reached its limit after since, in none: ErrTooOften. A message that is counted already stays
	// as it is. A message that seems to be sent after that time got its time from a wrong clock.
	CountMail(ctx context.Context, job int64, shares []Share, at, since time.Time) error
	// FinishJob removes a job. Its message counts at that time if it was sent, and no more otherwise. A job that was
	// not sent and that somebody else has claimed since j's Claim is sandlot.ErrNotFound.
	FinishJob(ctx context.Context, j sandlot.Job, sent bool, at time.Time) error
	// RetryJob makes a job due again, with one more attempt. A job that somebody else has claimed since j's Claim is
	// sandlot.ErrNotFound.
	RetryJob(ctx context.Context, j sandlot.Job, due time.Time) error
	// AddVerification records a token of an account's current unverified address, and returns the account's handle;
	// another address, a verified one, or that of a suspended account is sandlot.ErrMoved.
	AddVerification(ctx context.Context, v Verification) (handle string, err error)
	// WriteLogin records the message of a login in place of a former one, and returns the address in the accounts'
	// spelling, which may differ in case from the typed one. A proved login, and an address that no account has
	// verified, is sandlot.ErrNotFound.
	WriteLogin(ctx context.Context, id int64, m LoginMessage, now time.Time) (address string, err error)
	// Claimant returns the newest of the accounts that the address of a login was given for, in any case of its
	// letters, and that have not verified it. None, and a proved login, is sandlot.ErrNotFound.
	Claimant(ctx context.Context, id int64, now time.Time) (sandlot.Account, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
	// Decision returns the facts of a decision for the owner of a project, and replaces the hash of the code by which
	// they object, unless there is no other objection. One that was undone reads as "dismiss" where everybody sees the
	// project again, and is sandlot.ErrNotFound otherwise.
	Decision(ctx context.Context, id int64, code sandlot.Digest) (DecisionNotice, error)
	// Outcome returns the facts of a decision for the sender of reports with this address, with the number of one of them. A
	// decision that was undone is sandlot.ErrNotFound.
	Outcome(ctx context.Context, id int64, address string) (OutcomeNotice, error)
	// AddEmailLink records a token for the newest move of an account with this address and Undo, and returns the
	// account's handle. A proposal that is not the last, and any of a suspended account, is sandlot.ErrNotFound.
	AddEmailLink(ctx context.Context, token sandlot.Digest, m EmailMove, now time.Time) (handle string, err error)
	// ReportOfJob returns the report that the message of a job is about.
	ReportOfJob(ctx context.Context, job int64) (ReportNotice, error)
	// HeldByReports returns the project with that number, by which its jobs are about it, if reports hold it now.
	HeldByReports(ctx context.Context, project int64) (HeldNotice, error)
	// AnsweredReports returns the numbers of the reports that a message to their sender is about, by the number of the
	// last of them; 0 is about none.
	AnsweredReports(ctx context.Context, about int64) ([]string, error)
	// StopOf is that of StopStore.
	StopOf(ctx context.Context, mailbox sandlot.Digest, kind string, now time.Time) (sandlot.Stop, error)
}
