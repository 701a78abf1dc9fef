package wording

import (
	"strings"
	"testing"
)

func TestFaultsAreFound(t *testing.T) {
	for lang, all := range map[string]map[string]string{
		"en": {
			"Don't": "straight", `Press "Play".`: "straight", "Wait...": "ellipsis", "One.  Two.": "beside", "«Play»": "foreign",
			"Your e-mail": "another word", "Somebody asked.": "another word", "You cannot do this.": "contraction",
			"Really ?": "before a mark",
		},
		"de": {
			"Das war's": "straight", "Der Link “Hier”": "foreign", "«Hier»": "foreign", "Drücken Sie den Knopf.": "another word",
			"Deine Adresse": "Sie", "Nichts wurde geändert.": "another word", "Ihre Email": "another word",
		},
		"es": {
			"El enlace “aquí”": "foreign", "Si fuerais usted": "tú", "No enviéis nada más": "tú", "Tu ordenador": "another word",
			"Tu e-mail": "another word",
		},
		"fr": {
			"Vraiment ?": "narrow", "Fini !": "narrow", "Non: rien": "unbreaking", "Non : rien": "unbreaking", "« ici »": "unbreaking",
			"l'adresse": "straight", "“ici”": "foreign",
			"Ouvre ta page": "vous", "dans vos réglages": "another word", "Les liens prennent fin.": "another word",
		},
		"pt": {"Abra as definições": "Brazilian", "o teu endereço": "você", "«aqui»": "foreign", "Todos os acessos": "another word"},
		"ja": {
			"あなたの作品": "あなた", "プロジェクトを開く": "another word", "何が問題ですか?": "half width", "“ここ”": "foreign", "変更した。": "politely",
			"APIを見る": "blank",
		},
		"zh-Hans": {"你的作品": "您", "账户": "another word", "项目": "another word", "请稍候,再试": "half width", "「这里」": "foreign", "共3个": "blank"},
	} {
		for text, want := range all {
			if found := strings.Join(Faults(lang, text), "; "); !strings.Contains(found, want) {
				t.Errorf("of %q in %s it says %q, wanted %q", text, lang, found, want)
			}
		}
	}
}

func TestWhatIsRightHasNoFaults(t *testing.T) {
	for lang, all := range map[string][]string{
		"en":      {"It’s {email}. Don’t stay here: open the “Take it back” link. See {handle}.", "Enter it…"},
		"de":      {"Öffnen Sie „Zurückholen“ in Ihrer E-Mail.", "Führen Sie aus: sandlot admin mails"},
		"es":      {"¿Has sido tú? Abre «Recuperarla» en tu correo."},
		"fr":      {"Vraiment\u202f? Ouvrez «\u00a0Reprendre\u00a0»\u00a0: votre e-mail suffit\u202f!"},
		"pt":      {"Abra “Recuperar” no seu e-mail. Você pode."},
		"ja":      {"メールの「取り戻す」を開いてください。{n} 回、変更されません。見つかりませんでした。", "{y}年{m}月"},
		"zh-Hans": {"请打开“取回账号”链接：{n} 次。"},
	} {
		for _, text := range all {
			if found := Faults(lang, text); len(found) > 0 {
				t.Errorf("of %q in %s it says %q", text, lang, found)
			}
		}
	}
}
