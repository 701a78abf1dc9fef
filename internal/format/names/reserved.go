package names

import (
	"slices"
	"strings"
)

// reserved are the handles that would seem to belong to the service, to its operator, or to a mailbox that others trust
// (RFC 2142), or that read like a place on its site. They are written without separators: "no-reply" and "no_reply" are
// "noreply".
var reserved = strings.Fields(`
	about abuse account accounts admin administrator administration admins all anonymous anybody anyone api app apps
	assets auth billing blog bot bots broadcasthost cdn ci compliance config console contact content copyright
	dashboard data daemon default delete demo dev developer developers dmca dns docs documentation domain domains
	edit email everybody everyone example export faq favicon feed feedback file files ftp git guest healthz help
	helpdesk home host hostmaster http https imap import index info infosec internal invite jobs keys legal like
	likes list listing live localdomain localhost login logout mail mailerdaemon maildaemon mailer marketing mcp me
	media metrics mod moderator moderators mx nameserver network new news newsletter nobody noc none noreply
	donotreply null oauth official openapi operator ops owner page pages password pay payment payments ping play
	player players policy pop postmaster press privacy project projects public publish published readyz register
	registrar report reports reset robots root sales sandlot sandlotadmin sandlotsupport sandlotteam search secure
	security self server service services session sessions setting settings signin signout signup site sites smtp
	sso ssl ssladmin ssladministrator sslwebmaster staff static stats status store stylesheet sudo superuser support
	sysadmin sysop system team teams terms test testing tls token tokens tos trust undefined unknown unsubscribe
	update updates upload uploads usenet user username users uucp verify verification version void web webadmin
	webmail webmaster wellknown whoami wpad ws www you yourself
`)

// Reserved reports whether nobody may have a handle: the empty one, the words of the service and of mail, however they
// are separated, and all that begin with "xn--" or "_", which mean something in names of hosts. With a number after it
// a reserved word is free.
func Reserved(handle string) bool {
	handle = strings.ToLower(handle)
	if handle == "" || strings.HasPrefix(handle, "xn--") || strings.HasPrefix(handle, "_") {
		return true
	}
	plain := strings.NewReplacer("-", "", "_", "").Replace(handle)
	return plain == "" || slices.Contains(reserved, plain)
}
