// Package oauth proves the authorization server from outside: official clients go through it with a browser and a mail server, libraries
// that others keep hold it to its standards, and it is attacked. It has tests alone.
package oauth
