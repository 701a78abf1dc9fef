package main

// wrongConfigurations are refused by serve and config check alike.
func wrongConfigurations() []configuration {
	flags := func(says string, args ...string) configuration {
		return configuration{name: says, args: args, says: says}
	}
	file := func(says, text string) configuration {
		return configuration{name: says, args: []string{"--config=FOLDER/c.yaml"}, files: map[string]string{"c.yaml": text}, says: says}
	}
	env := func(says string, vars ...string) configuration {
		return configuration{name: says, env: vars, says: says}
	}
	all := []configuration{
		// Where it listens, and who can reach that.
		flags(`--listen "" is not HOST:PORT`, "--listen="),
		flags(`--listen "8080" is not HOST:PORT`, "--listen=8080"),
		flags(`--listen unix:/run/sandlot.sock has no port for links: set --base-url`, "--listen=unix:/run/sandlot.sock"),
		flags(`--listen "/run/sandlot.sock" is not HOST:PORT`, "--listen=/run/sandlot.sock"),
		flags(`--listen "127.0.0.1:65536" is not HOST:PORT`, "--listen=127.0.0.1:65536"),
		flags(`--listen "no-such-host.invalid:80" is not HOST:PORT of this machine`, "--listen=no-such-host.invalid:80"),
		flags(`--listen :8080 can be reached from other machines, but --base-url is not set: set --base-url`, "--listen=:8080"),
		flags(`--listen : can be reached`, "--listen=:"),
		flags(`--listen 0.0.0.0:0 can be reached`, "--listen=0.0.0.0:0"),
		flags(`--listen [::]:80 can be reached`, "--listen=[::]:80"),
		flags(`--listen [::ffff:0.0.0.0]:80 can be reached`, "--listen=[::ffff:0.0.0.0]:80"),
		flags(`--listen 192.168.0.9:80 can be reached`, "--listen=192.168.0.9:80"),
		flags(`--listen [fe80::1%eth0]:80 can be reached`, "--listen=[fe80::1%eth0]:80"),
		flags(`--listen 0.0.0.0:80 can be reached from other machines, but --base-url http://localhost:8080 is local`, "--listen=0.0.0.0:80", "--base-url=http://localhost:8080"),
		flags(`--listen 0.0.0.0:81 can be reached from other machines, but --base-url http://sandlot is local`, "--listen=0.0.0.0:81", "--base-url=http://sandlot"),
		flags(`--listen 0.0.0.0:82 can be reached from other machines, but --base-url is not set`, "--listen=0.0.0.0:82", "--base-url="),
		flags(`--metrics-listen "9090" is not HOST:PORT`, "--metrics-listen=9090"),
		flags(`--metrics-listen 127.0.0.1:8081 is taken by --listen 127.0.0.1:8081`, "--listen=127.0.0.1:8081", "--metrics-listen=127.0.0.1:8081"),
		flags(`--metrics-listen :8082 is taken by --listen 127.0.0.1:8082`, "--listen=127.0.0.1:8082", "--metrics-listen=:8082"),
		env(`--listen :83 can be reached`, "SANDLOT_LISTEN=:83"),
		file(`--listen :84 can be reached`, "listen: :84"),

		// What it is called.
		flags(`--base-url "example.com" is not a URL such as https://play.example.com`, "--base-url=example.com"),
		flags(`--base-url "ftp://example.com" is not a URL`, "--base-url=ftp://example.com"),
		flags(`--base-url "https://me@example.com" is not a URL`, "--base-url=https://me@example.com"),
		flags(`--base-url "https://example.com/sandlot" must have no path`, "--base-url=https://example.com/sandlot"),
		flags(`--base-url "http://0.0.0.0:8080" is no address that a browser can open`, "--base-url=http://0.0.0.0:8080"),
		flags(`--base-url "http://[::]" is no address`, "--base-url=http://[::]"),
		flags(`--base-url "https://*.example.com" has no valid host name`, "--base-url=https://*.example.com"),
		flags(`--base-url "https://example.com." has no valid host name`, "--base-url=https://example.com."),
		flags(`--base-url "https://spiele.münchen.de" has no valid host name, in ASCII`, "--base-url=https://spiele.münchen.de"),
		flags(`--base-url "https://example.com:0" has no port from 1 to 65535`, "--base-url=https://example.com:0"),
		flags(`--base-url "https://example.com:65536" has no port from 1 to 65535`, "--base-url=https://example.com:65536"),
		flags("projects of strangers are on the site of --base-url https://example.com, so a page of one can get the whole of it blocked: "+
			"set --content-host to a domain of its own, or --insecure-shared-site", "--base-url=https://example.com"),
		flags("on the site of --base-url https://example.com", "--base-url=https://example.com", "--content-host=play.example.com"),
		flags("on the site of --base-url https://example.com", "--base-url=https://example.com", "--content-host=none"),
		flags("on the site of --base-url https://203.0.113.9", "--base-url=https://203.0.113.9"),
		flags("--brands-file: open FOLDER/none: no such file", "--brands-file=FOLDER/none"),
		{
			name: "a list of brands with a bad line", args: []string{"--brands-file=FOLDER/brands"}, files: map[string]string{"brands": "Acme\n# a bank\n--\n"},
			says: `--brands-file FOLDER/brands: line 3 has no name of two letters or more: "--": write one name a line, and # before a comment`,
		},
		flags(`--content-host "127.0.0.1:8080" is an IP address`, "--content-host=127.0.0.1:8080"),
		flags(`--content-host "[::1]" is an IP address`, "--content-host=[::1]"),
		flags(`--content-host "https://example.net" is not a host name`, "--content-host=https://example.net"),
		flags(`--content-host "*.example.net" is not a host name`, "--content-host=*.example.net"),
		flags(`--content-host "example.net:99999" is not a host name`, "--content-host=example.net:99999"),
		flags(`--path-form off needs a --content-host`, "--content-host=none", "--path-form=off"),
		flags(`--path-form must be one of "auto","on","off" but got "yes"`, "--path-form=yes"),

		// Whom it believes.
		flags(`--trusted-proxies: "proxy.example.com" is neither an IP address nor a range`, "--trusted-proxies=proxy.example.com"),
		flags(`--trusted-proxies: "0.0.0.0/0" trusts a great part of the internet`, "--trusted-proxies=0.0.0.0/0"),
		flags(`--trusted-proxies: "10.0.0.1,::/0" trusts a great part`, "--trusted-proxies=10.0.0.1,::/0"),
		env(`--trusted-proxies: "0.0.0.0/1 128.0.0.0/1" trusts a great part`, "SANDLOT_TRUSTED_PROXIES=0.0.0.0/1 128.0.0.0/1"),

		// Mail and its secret.
		flags(`--smtp-url: not a URL that begins with smtp:// or smtps://`, "--smtp-url=mail.example.com:25"),
		flags(`--smtp-url: not a URL (special`, "--smtp-url=smtp://me:hunter2%@mail.example.com"),
		flags(`--smtp-url: a password is sent unencrypted to this machine only`, "--smtp-url=smtp://me:hunter2@mail.example.com?tls=none"),
		flags(`--mail-from: the sender "nobody" is not a mail address`, "--mail-from=nobody"),
		flags(`--report-mail "nobody" is not an email address`, "--report-mail=nobody"),
		flags(`--report-smtp 0.0.0.0:2525 can be reached from other machines: set a loopback address such as 127.0.0.1:2525`, "--report-smtp=0.0.0.0:2525"),
		flags(`--report-smtp "2525" is not HOST:PORT of this machine`, "--report-smtp=2525"),
		flags(`--security-contact "somebody" is neither an email address nor an https URL`, "--security-contact=somebody"),
		flags(`--security-contact "http://example.com" is neither`, "--security-contact=http://example.com"),
		env(`SANDLOT_SMTP_URL_FILE: open FOLDER/none: no such file`, "SANDLOT_SMTP_URL_FILE=FOLDER/none"),
		env(`SANDLOT_SMTP_URL and SANDLOT_SMTP_URL_FILE are both set: unset one`, "SANDLOT_SMTP_URL=smtp://mail.example.com", "SANDLOT_SMTP_URL_FILE=FOLDER/s"),
		env(`only a secret can lie in a file; set SANDLOT_LISTEN`, "SANDLOT_LISTEN_FILE=FOLDER/s"),
		{name: "an empty secret", env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": ""}, says: "SANDLOT_SMTP_URL_FILE: FOLDER/s is empty: write the secret into it, or unset the variable"},
		{name: "a blank secret", env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": " \n\t\r\n"}, says: "SANDLOT_SMTP_URL_FILE: FOLDER/s is empty"},
		{name: "a secret that is a folder", env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s/": ""}, says: "SANDLOT_SMTP_URL_FILE: read FOLDER/s: is a directory"},
		{name: "a secret of two lines", env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": "smtp://me:hunter2@a.example\nsmtp://b.example"}, says: "--smtp-url: not a URL"},

		// What its operator has written.
		flags(`--pages FOLDER/none: no such file or directory`, "--pages=FOLDER/none"),
		{name: "a page that runs a script", args: []string{"--pages=FOLDER"}, files: map[string]string{"terms.md": "Be kind.\n\n<script>alert(1)</script>\n"}, says: "--pages FOLDER: terms.md: <script> is not allowed in it: a paper has headings, paragraphs, lists, tables and links"},
		{name: "a page in no language", args: []string{"--pages=FOLDER"}, files: map[string]string{"about.deutsch.md": "x"}, says: "--pages FOLDER: about.deutsch.md is not a paper: name it about.md"},

		// Where it keeps everything.
		flags(`--database-url: the database's URL has to begin with postgres://`, "--database-url=mysql://me:hunter2@db.example.com/sandlot"),
		flags(`--database-url: the database's URL is malformed`, "--database-url=postgres://me:hunter2%@db.example.com/sandlot"),
		flags(`--database-url: the database's URL cannot be used`, "--database-url=postgres://me:hunter2@db.example.com/sandlot?sslmode=perhaps"),

		flags(`--blob-url: the URL of the bucket: it must begin with s3://`, "--blob-url=https://s3.example.com/bucket"),
		flags(`--blob-url: the URL of the bucket: keys do not belong into it`, "--blob-url=s3://me:hunter2@bucket"),
		{name: "half of a bucket's keys", args: []string{"--blob-url=s3://bucket?region=us-east-1"}, env: []string{"AWS_ACCESS_KEY_ID=hunter2"}, says: "--blob-url: AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY"},
		flags(`--redis-url: `, "--redis-url=http://me:hunter2@cache.example.com"),

		// Numbers and sizes.
		flags(`--keep-versions -1 is negative`, "--keep-versions=-1"),
		flags(`--keep-versions: expected a valid 64 bit int but got "many"`, "--keep-versions=many"),
		flags(`--inline-max 2MiB is more than 1MiB`, "--inline-max=2M"),
		flags(`--inline-max: "64X": a size is a whole number, of bytes or with a unit, such as 65536, 64K`, "--inline-max=64X"),
		flags(`--max-file-size 50MiB is less than one request may bring: set 100MiB or more`, "--max-file-size=50M"),
		flags(`--max-file-size: "8E": a size is`, "--max-file-size=8E"),
		env(`--max-file-size: "9999999T" is too large: the most is 1PiB`, "SANDLOT_MAX_FILE_SIZE=9999999T"),
		flags(`--cache-size 1KiB is less than 1MiB`, "--cache-size=1k"),
		file(`--account-bytes: "1.5G": a size is`, "account-bytes: 1.5G"),
		file(`--limit uploads=-1: "-1": a size is`, "limit: uploads=-1"),
		env(`--limit "nothing=1" is no NAME=RATE with one of the names accounts, `, "SANDLOT_LIMIT=mails=off,nothing=1"),
		flags(`--limit writes=many: "many": a rate is COUNT/PERIOD:BURST`, "--limit=writes=many"),
		flags(`--limit likes=9223372036854775807/h:1: "9223372036854775807/h:1": a rate is`, "--limit=likes=9223372036854775807/h:1"),
		flags(`--limit bytes=1E/h:1E: "1E/h:1E": a rate of bytes is SIZE/PERIOD:SIZE`, "--limit=bytes=1E/h:1E"),
		flags(`--limit bodies=-1: "-1" is not between 0 and 1000000000`, "--limit=bodies=-1"),
		flags(`--max-bodies 9999999999 is not between`, "--max-bodies=9999999999"),
		flags(`--disk-limit 101 is not between 0 and 100`, "--disk-limit=101"),
		flags(`--disk-limit -1 is not between 0 and 100`, "--disk-limit=-1"),

		// The log.
		flags(`--access-log must be one of "all","errors","off" but got "none"`, "--access-log=none"),
		env(`--access-log must be one of`, "SANDLOT_ACCESS_LOG=ERRORS"),

		// The file, the environment, and the data folder.
		flags(`configuration file: open FOLDER/none.yaml: no such file`, "--config=FOLDER/none.yaml"),
		flags(`configuration file: open : no such file`, "--config="),
		flags(`configuration file: read FOLDER: is a directory`, "--config=FOLDER"),
		file(`configuration file FOLDER/c.yaml is not lines of NAME: VALUE`, "listen 127.0.0.1:8080"),
		file(`configuration file FOLDER/c.yaml is not lines of NAME: VALUE, each once: yaml: `, "log-level: info\nlog-level: warn"),
		file(`c.yaml is not lines of NAME: VALUE: what stands behind --- would be ignored`, "log-level: info\n---\nquarantine: on"),
		{name: "a file that is a secret", args: []string{"--config=FOLDER/c.yaml"}, files: map[string]string{"c.yaml": "hunter2"}, says: "c.yaml is not lines of NAME: VALUE"},
		file(`c.yaml is not lines of NAME: VALUE`, "- listen\n- data"),
		file(`c.yaml is not lines of NAME: VALUE`, "\xff\xfe\x00"),
		file(`c.yaml: unknown setting "serve"`, "serve:\n  listen: 127.0.0.1:1"),
		file(`configuration file FOLDER/c.yaml: unknown setting "baseurl"`, "baseurl: https://example.com"),
		file(`configuration file FOLDER/c.yaml: unknown setting "config"`, "config: other.yaml"),
		file(`configuration file FOLDER/c.yaml: smtp-url has no value, or more than one`, "smtp-url:"),
		file(`configuration file FOLDER/c.yaml: trusted-proxies has no value, or more than one`, "trusted-proxies: [127.0.0.1]"),
		env(`environment variable SANDLOT_BASEURL is no setting`, "SANDLOT_BASEURL=https://example.com"),
		flags(`unknown flag --baseurl`, "--baseurl=https://example.com"),
		flags(`--data is empty: name a folder`, "--data="),
		flags(`--judge is neither a command such as /etc/sandlot/judge, nor a URL of https`, "--judge=judge"),
		flags(`--judge names /nowhere/judge, which is no program that can be run: install it`, "--judge=cmd:/nowhere/judge --x"),
		flags(`--judge is neither a command`, "--judge=http://judge.example.com/", "--judge-secret=0123456789abcdef"),
		flags(`--judge needs a secret of at least 16 characters`, "--judge=https://judge.example.com/"),
		flags(`--judge-secret does nothing without --judge`, "--judge-secret=0123456789abcdef"),
		flags(`--judge-fails must be one of "pass","hold" but got "refuse"`, "--judge-fails=refuse"),
		flags(`--dns-lists: "spamhaus" is not a zone such as dbl.spamhaus.org`, "--dns-lists=dbl.spamhaus.org,spamhaus"),
		flags(`--dns-lists: "https://dbl.spamhaus.org" is not a zone such as dbl.spamhaus.org`, "--dns-lists=https://dbl.spamhaus.org"),
		flags(`--dns-lists-server does nothing without --dns-lists`, "--dns-lists-server=127.0.0.1:53"),
		flags(`--dns-lists-server "127.0.0.1" is not HOST:PORT`, "--dns-lists=dbl.spamhaus.org", "--dns-lists-server=127.0.0.1"),
		flags(`--playtest-user does nothing without --playtest: set --playtest, or leave it out`, "--playtest-user=nobody"),
		flags(`--playtest-user "root" is root: choose a user that owns nothing`, "--playtest", "--playtest-user=root"),
		flags(`--playtest-user "nobody-at-all" is no user of this machine`, "--playtest", "--playtest-user=nobody-at-all"),
		flags(`the data folder /usr/share/sandlot lies where the browser of --playtest reads`, "--playtest", "--playtest-user=nobody", "--data=/usr/share/sandlot"),
		{name: "data is a file", args: []string{"--data=FOLDER/f"}, files: map[string]string{"f": ""}, says: "the data folder FOLDER/f cannot be used: not a directory"},
		{name: "data is below a file", args: []string{"--data=FOLDER/f/a/b"}, files: map[string]string{"f": ""}, says: "the data folder FOLDER/f/a/b cannot be used: not a directory"},
	}
	return append(all, wrongTLS()...)
}

// doubtfulConfigurations are taken, and serve and config check warn of the same. Addresses of 192.0.2.0/24 are nobody's, so serve ends where it
// would listen there.
func doubtfulConfigurations() []configuration {
	public := func(name, says string, args ...string) configuration {
		return configuration{name: name, says: says, args: append([]string{
			"--listen=127.0.0.1:0", "--base-url=https://example.com", "--content-host=example-content.net", "--trusted-proxies=127.0.0.1", "--smtp-url=smtp://127.0.0.1:1",
		}, args...)}
	}
	return []configuration{
		{name: "the defaults", args: []string{"--listen=127.0.0.1:0"}},
		public("a public instance", ""),
		{name: "local by wish", args: []string{"--listen=192.0.2.1:8080", "--insecure-local"}, says: "--insecure-local: --listen 192.0.2.1:8080 can be reached from other machines while base-url http://localhost:8080 is local"},
		{name: "local by the file", args: []string{"--listen=192.0.2.1:8080", "--config=FOLDER/c.yaml"}, files: map[string]string{"c.yaml": "insecure-local: true"}, says: "--insecure-local: --listen 192.0.2.1:8080 can"},
		{name: "local in a network", args: []string{"--listen=192.0.2.1:8080", "--base-url=http://192.168.0.9:8080"}, env: []string{"SANDLOT_INSECURE_LOCAL=true"}, says: "while base-url http://192.168.0.9:8080 is local"},
		public("without encryption", "--base-url http://example.com is public, but not encrypted", "--base-url=http://example.com"),
		public("isolation B", "--content-host play.example.com is on the login's site example.com, so projects can set its cookies: set a separate domain as --content-host", "--content-host=play.example.com", "--insecure-shared-site"),
		public("isolation B by default", "--content-host example.com is on the login's site", "--content-host=", "--insecure-shared-site"),
		public("isolation C", "--insecure-shared-site: projects are on the host of the login, example.com, so a page of one can get all of it blocked: set a separate domain", "--content-host=none", "--insecure-shared-site"),
		public("a forgotten proxy", "--trusted-proxies does not name the proxy", "--trusted-proxies="),
		public("another proxy", "--trusted-proxies does not name the proxy", "--trusted-proxies=10.0.0.1"),
		public("a forgotten proxy on another machine", "--trusted-proxies does not name the proxy", "--trusted-proxies=", "--listen=192.0.2.1:80"),
		public("TLS for this machine alone", "--listen 127.0.0.1:0 is reached from this machine alone, though TLS ends here: set it to :443",
			"--tls=auto", "--acme-email=kim@example.org", "--dns=https://dns.example.org/hook", "--http-listen=127.0.0.1:0", "--acme-directory=https://127.0.0.1:1/dir"),
		public("without mail", "--smtp-url is not set, so no message reaches anyone", "--smtp-url="),
		public("a full disk", "--disk-limit 0 lets new content fill the disk: set it to 95", "--disk-limit=0"),
		public("a full disk too", "--disk-limit 100 lets new content fill the disk", "--disk-limit=100"),
		{name: "a full disk at home", args: []string{"--listen=127.0.0.1:0"}, env: []string{"SANDLOT_DISK_LIMIT=0"}, says: "--disk-limit 0 lets"},
		public("metrics for everybody", "--metrics-listen 192.0.2.1:9090 can be reached from other machines", "--listen=192.0.2.1:80", "--metrics-listen=192.0.2.1:9090"),
		public("metrics at home", "", "--metrics-listen=127.0.0.1:0"),
		{
			name: "all at once", args: []string{"--listen=192.0.2.1:80", "--metrics-listen=:9090", "--base-url=http://play.example.com", "--disk-limit=0", "--insecure-shared-site"},
			says: "not encrypted|--metrics-listen :9090 can|--content-host play.example.com|--smtp-url|--disk-limit 0",
		},
	}
}
