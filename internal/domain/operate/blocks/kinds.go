package blocks

// The kinds of entries of the blocklist. Values are as the store keeps them.
const (
	Hash      = "hash"      // SHA-256 of a file's bytes, in hex
	Text      = "text"      // SHA-256 of a text file's bytes without white space, in hex
	Domain    = "domain"    // a mail domain, with its subdomains
	Mailbox   = "mailbox"   // sandlot.MailboxOf an address, in hex
	Network   = "network"   // a prefix, such as 203.0.113.0/24
	Publisher = "publisher" // a hash of a network, as publish.Publisher has it, in hex
	Word      = "word"      // a word of a title, folded
)
