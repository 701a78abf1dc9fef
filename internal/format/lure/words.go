package lure

import (
	"strings"
	"unicode"
)

// Words of fields, in small letters, with one space for everything that is neither a letter nor a digit. They never change.
var (
	// cardNumbers name the field for the number of a card in the text of a page before it.
	cardNumbers = []string{
		"card number", "cardnumber", "card no", "number on card", "card security code", "kartennummer", "numero de carte", "numéro de carte",
		"numéro de la carte", "número de tarjeta", "numero de tarjeta", "número de la tarjeta", "número do cartão", "numero do cartao",
		"numero di carta", "numero della carta", "kaartnummer", "numer karty", "номер карты", "номер картки", "kart numarası",
		"カード番号", "卡号", "卡號", "카드 번호", "카드번호", "security code cvv", "iban number",
	}
	// cardLabels also count in the label of a field.
	cardLabels = []string{
		"credit card", "debit card", "creditcard", "cc number", "ccnumber", "ccnum", "cvv", "cvc code", "cvc cvv", "cvc number", "cvc2",
		"card verification", "card code", "kreditkarte", "carte bancaire", "carte de crédit", "tarjeta de crédito", "tarjeta de credito",
		"cartão de crédito", "cartao de credito", "carta di credito", "creditcardnummer", "kartenprüfnummer", "código de segurança",
		"código de seguridad", "cryptogramme", "信用卡", "セキュリティコード", "account number iban", "bank account number", "routing number",
		"kontonummer", "numéro de compte", "rekeningnummer",
	}
	// cardAlone count where a label or a name is nothing else.
	cardAlone = []string{"cvc", "csc", "cvn", "iban", "mm yy", "mm jj", "mm aa", "mm yyyy", "your iban", "ihre iban", "votre iban", "su iban", "seu iban", "ccv"}
	// cardNames are names of fields, without the separators of their words.
	cardNames = []string{"cardnumber", "cardnum", "ccnumber", "ccnum", "cardno", "creditcard", "cvv", "cvv2", "cardcvc", "cvccode", "cardcvv", "ccexp", "cardexpiry", "cardexp", "iban"}

	// seedWords name a recovery phrase.
	seedWords = []string{
		"recovery phrase", "seed phrase", "seed words", "recovery words", "recovery seed", "mnemonic seed", "12 word phrase", "24 word phrase",
		"12 word recovery", "24 word recovery", "12 word secret", "24 word secret", "wiederherstellungsphrase", "wiederherstellungswörter",
		"wiederherstellungs phrase", "phrase de récupération", "phrase de recuperation", "phrase secrète de récup", "frase de recuperación",
		"frase de recuperacion", "frase semilla", "frase de recuperação", "frase de recuperacao", "frase semente", "palavras de recuperação",
		"frase di recupero", "herstelzin", "fraza odzyskiwania", "сид фраз", "seed фраз", "фраза восстановления", "фразу восстановления",
		"kurtarma ifadesi", "kurtarma kelime", "リカバリーフレーズ", "シードフレーズ", "復元フレーズ", "助记词", "助記詞", "恢复短语", "恢復短語",
		"복구 문구", "시드 문구", "cụm từ khôi phục", "frasa pemulihan", "cụm từ bí mật",
	}
	// seedMaybe count on a page about wallets.
	seedMaybe = []string{
		"private key", "privatekey", "secret phrase", "secret words", "mnemonic", "backup phrase", "passphrase", "12 words", "24 words", "secret key",
		"privater schlüssel", "privaten schlüssel", "geheime phrase", "clé privée", "phrase secrète", "clave privada", "frase secreta",
		"chave privada", "chiave privata", "frase segreta", "приватный ключ", "секретная фраза", "секретную фразу", "özel anahtar",
		"秘密鍵", "ニーモニック", "私钥", "私鑰", "개인 키", "니모닉", "keystore",
	}
	walletWords = []string{
		"wallet", "metamask", "walletconnect", "ledger", "trezor", "bitcoin", "ethereum", "solana", "coinbase", "binance", "airdrop", "crypto ",
		"seed phrase", "recovery phrase", "wiederherstellungs", "blockchain", "brieftasche", "portefeuille", "billetera", "carteira", "кошел",
		"ウォレット", "钱包", "錢包", "지갑",
	}
)

// folded returns text in small letters, with one space between words and without characters of no width.
func folded(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := true
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
			space = false
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r):
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	return b.String()
}

// labelled looks at the label of a field.
func (l *Look) labelled(text string) {
	if text == "" || len(text) > mostSaid {
		return
	}
	text = strings.TrimSpace(folded(text))
	switch {
	case containsAny(text, cardNumbers), containsAny(text, cardLabels), equalsAny(text, cardAlone):
		l.maybe(Card)
	case containsAny(text, seedWords):
		l.maybe(Seed)
	}
}

// named looks at the name of a field.
func (l *Look) named(name string) {
	if name == "" || len(name) > 64 {
		return
	}
	name = strings.ReplaceAll(folded(name), " ", "")
	if equalsAny(name, cardNames) {
		l.maybe(Card)
	}
	if strings.HasPrefix(name, "seedphrase") || strings.HasPrefix(name, "recoveryphrase") || strings.HasPrefix(name, "mnemonicphrase") {
		l.maybe(Seed)
	}
}

// completes looks at the values that a field wants the browser to fill in.
func (l *Look) completes(autocomplete string) {
	for _, name := range strings.Fields(strings.ToLower(autocomplete)) {
		switch {
		case strings.HasPrefix(name, "cc-"):
			l.maybe(Card)
		case name == "current-password" || name == "one-time-code":
			l.maybe(Password)
		}
	}
}

// spoken looks at the text before a field, and at its labels.
func (p *page) spoken(labels string) {
	if containsAny(folded(p.said[max(0, len(p.said)-90):]), cardNumbers) {
		p.sign(Card)
	}
	if text := folded(labels); containsAny(text, seedWords) || containsAny(text, seedMaybe) && p.wallet() {
		p.sign(Seed)
	}
}

// wrapped looks for the words of a recovery phrase in a string of a script.
func (f *folder) wrapped(text string) {
	if len(text) < 9 || len(text) > 2000 || strings.IndexByte(text, ' ') < 0 && text[0] < 0x80 {
		return
	}
	if containsAny(folded(text), seedWords) {
		f.maybe(Seed)
	}
}

func equalsAny(text string, words []string) bool {
	for _, w := range words {
		if text == w {
			return true
		}
	}
	return false
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}
