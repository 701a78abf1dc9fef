// Package deploy runs the files of the folder deploy/ as they are, but for addresses, ports and the paths of certificates: each proxy in
// front of the real program, with a certificate of a local CA. It also runs the commands of docs/book/night.md. It has tests alone.
package deploy
