// Package account holds the rules about the account of a person: how they log in, in
// which browsers they are logged in, what they change about the account, how they get
// it back, and the messages that tell them.
//
// Accounts and their keys are made in package publish, with the first project or by a
// signup; an address that comes with either is a claim until whoever reads it opens the
// link in a message. From then on the address is the way into the account on the website.
//
// # Logging in
//
// There are no passwords. A browser asks for a login with an address ([Service.AskLogin])
// and gets a token that binds the login to it. The address gets a message with a link and a
// code. Either proves the login ([Service.UseLoginLink], [Service.UseLoginCode]), in the
// browser that asked and in no other. [Service.FinishLogin] makes the proved login a session
// in one of the accounts that have verified the address. A login lives for 15 minutes, a
// session for sandlot.SessionLife after it was last seen.
//
// No answer, and no time that an answer takes, tells whether an address has an account:
// that is found out by the [Courier], after the answer.
//
// # Messages
//
// A step that asks for a message records a job with it. A [Courier] sends what is due. A
// crash may make a message come twice, and loses none. A mailbox gets at most [MailsPerDay]
// messages a day, in shares that strangers cannot use up for its owner. Every message but a report has a link for whoever did not ask for
// it: see [NotMe].
//
// # Secrets
//
// Tokens and codes are returned or sent once. What is kept of them is a hash, so that a copy
// of the database opens no account.
package account
