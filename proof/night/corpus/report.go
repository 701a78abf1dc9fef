package corpus

import "strings"

// complaints are the reports about phishing by language. {host} stands for the host of the page, {bad} for the same in the way that
// experts write it, and {brand} for the title.
var complaints = map[string][]string{
	"en": {
		"this is a scam!!! they took my card", "phishing", "Fake {brand} page, I got the link in a text message: https://{host}/",
		"Phishing page impersonating {brand}. URL: hxxps://{bad}/ - please take down asap. Regards, SOC", "", "my mother entered her password here, PLEASE delete it",
		"got this in an email from 'support', looks exactly like {brand} but the address is {host} ???",
	},
	"de": {
		"Betrug!!", "Das ist eine gefälschte Seite von {brand}, Link kam per SMS: https://{host}", "Phishing: hxxps://{bad}", "",
		"Habe dort leider meine Daten eingegeben. Bitte sofort sperren!", "Fake, bitte löschen",
	},
	"fr": {"arnaque !!!", "Faux site {brand}, lien reçu par SMS : {host}", "hameçonnage hxxps://{bad}/", "", "j'ai donné ma carte, au secours"},
	"es": {"ESTAFA", "página falsa de {brand}, me llegó por SMS https://{host}", "phishing hxxps://{bad}", "", "me han robado la cuenta con esto"},
	"pt": {"golpe!!", "site falso do {brand} recebido no zap: {host}", "phishing hxxps://{bad}", "", "cai nesse golpe, tirem do ar por favor"},
	"ja": {"詐欺サイトです", "{brand}の偽サイトです。SMSで届きました https://{host}", "フィッシング hxxps://{bad}", ""},
	"zh": {"诈骗网站", "假冒{brand},短信里的链接 {host}", "钓鱼网站 hxxps://{bad}", "", "我的钱被骗了,请删除"},
}

// mistakes are wrong reports about honest pages.
var mistakes = []string{
	"this game is a virus", "he stole my idea", "asks for a password, looks like phishing?", "boring", "", "scam game, my score was deleted", "Spam",
	"my brother made this and it is bad lol", "mentions a bank, maybe fraud: https://{host}/",
}

// Report returns the text of the report i about a page as people write it, which may be empty: in the language of the page, or in
// English. The text has {host} and {bad} where the sender pastes the host of the page, plain and defanged: Paste fills them.
func Report(p Page, i int) string {
	if p.Honest {
		return mistakes[i%len(mistakes)]
	}
	list := complaints[p.Lang]
	if i%4 == 3 {
		list = complaints["en"]
	}
	return strings.ReplaceAll(list[(i+len(p.Files["index.html"]))%len(list)], "{brand}", p.Title)
}

// Paste returns the text of a report with a host.
func Paste(text, host string) string {
	return strings.NewReplacer("{host}", host, "{bad}", strings.ReplaceAll(host, ".", "[.]")).Replace(text)
}
