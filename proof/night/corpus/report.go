package corpus

import "strings"

// reports has the reports about phishing by language, and the wrong ones about honest pages as "honest". {host} stands for the host of
// the page, {bad} for the same in the way that experts write it, and {brand} for the title.
var reports = decoded[map[string][]string]("pages/reports.json")

// Report returns the text of the report i about a page as people write it, which may be empty: in the language of the page, or in
// English. The text has {host} and {bad} where the sender pastes the host of the page, plain and defanged: Paste fills them.
func Report(p Page, i int) string {
	if p.Honest {
		return reports["honest"][i%len(reports["honest"])]
	}
	list := reports[p.Lang]
	if i%4 == 3 {
		list = reports["en"]
	}
	return strings.ReplaceAll(list[(i+len(p.Files["index.html"]))%len(list)], "{brand}", p.Title)
}

// Paste returns the text of a report with a host.
func Paste(text, host string) string {
	return strings.NewReplacer("{host}", host, "{bad}", strings.ReplaceAll(host, ".", "[.]")).Replace(text)
}
