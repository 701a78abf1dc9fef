// Package account holds the rules about the account of a person: how they log in and out, what they can change about
// the account, how they recover it, and the messages that they get.
//
// Accounts and their keys are made in package publish, with the first project or by a signup; an address that comes
// with either is a claim until its reader opens the link in a message. From then on the address is the way into the
// account on the website.
//
// # Logging in
//
// There are no passwords. A browser requests a login with an address ([Logins.AskLogin]) and gets a token that binds
// the login to it. The address gets a message with a link and a code. Either proves the login ([Logins.UseLoginLink],
// [Logins.UseLoginCode]), in that browser and in no other. [Logins.FinishLogin] makes the proved login a session in
// one of the accounts that have verified the address. A login lives for 15 minutes, a session for sandlot.SessionLife
// after it was last seen.
//
// No answer, and no time that an answer takes, reveals whether an address has an account: the [Courier] looks that up,
// after the answer.
//
// # Messages
//
// A step that needs a message records a job with it. A [Courier] sends due messages. A crash may make a message come
// twice, and loses none. A mailbox gets at most [MailsPerDay] messages a day, in shares that strangers cannot use up
// for its owner. Every message but a report has a link for a reader who did not ask for it: see [NotMe].
//
// # Secrets
//
// Tokens and codes are returned or sent once. Only their hashes are kept, so that a copy of the database opens no
// account.
package account
