// Package people keeps what the owners of accounts say about themselves: a line and a link. Their
// profiles show both once the account's e-mail address is verified, with the totals of its projects.
package people
