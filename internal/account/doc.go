// Package account holds the rules about the account of a person: how they log in, in
// which browsers they are logged in, what they change about the account, how they get
// it back, and the messages that tell them.
//
// Accounts and their keys are made in package publish, with the first project or by a
// signup; an address that comes with either is a claim until whoever reads it opens the
// link in a message. From then on the address is the way into the account on the website.
package account
