package card

import (
	"bytes"
	_ "embed"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"golang.org/x/image/font/gofont/gobold"
)

// Folders lists the folders where systems keep Noto fonts: Debian and Ubuntu, Alpine and Arch, Fedora.
var Folders = []string{
	"/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto", "/usr/share/fonts/noto", "/usr/share/fonts/noto-cjk",
	"/usr/share/fonts/google-noto", "/usr/share/fonts/google-noto-sans-cjk-fonts", "/usr/local/share/fonts",
}

// The fonts to find beside those of single scripts.
const (
	general = "NotoSans-Bold"
	eastern = "NotoSansCJK-Bold"
)

var symbols = []string{"NotoSansSymbols-Bold", "NotoSansSymbols2-Regular", "NotoSansMath-Regular"}

// scripts maps scripts to their fonts; general covers the others.
var scripts = map[language.Script]string{
	language.Adlam: "NotoSansAdlam-Bold", language.Arabic: "NotoSansArabic-Bold", language.Armenian: "NotoSansArmenian-Bold",
	language.Balinese: "NotoSansBalinese-Bold", language.Bengali: "NotoSansBengali-Bold",
	language.Canadian_Aboriginal: "NotoSansCanadianAboriginal-Bold", language.Cham: "NotoSansCham-Bold",
	language.Cherokee: "NotoSansCherokee-Bold", language.Devanagari: "NotoSansDevanagari-Bold", language.Ethiopic: "NotoSansEthiopic-Bold",
	language.Georgian: "NotoSansGeorgian-Bold", language.Gujarati: "NotoSansGujarati-Bold", language.Gurmukhi: "NotoSansGurmukhi-Bold",
	language.Han: eastern, language.Hangul: eastern, language.Hebrew: "NotoSansHebrew-Bold", language.Hiragana: eastern,
	language.Bopomofo: eastern, language.Katakana: eastern, language.Javanese: "NotoSansJavanese-Bold",
	language.Kannada: "NotoSansKannada-Bold", language.Khmer: "NotoSansKhmer-Bold", language.Lao: "NotoSansLao-Bold",
	language.Lisu: "NotoSansLisu-Bold", language.Malayalam: "NotoSansMalayalam-Bold", language.Meetei_Mayek: "NotoSansMeeteiMayek-Bold",
	language.Mongolian: "NotoSansMongolian-Regular", language.Myanmar: "NotoSansMyanmar-Bold", language.Nko: "NotoSansNKo-Regular",
	language.Ol_Chiki: "NotoSansOlChiki-Bold", language.Oriya: "NotoSansOriya-Bold", language.Sinhala: "NotoSansSinhala-Bold",
	language.Sundanese: "NotoSansSundanese-Bold", language.Syriac: "NotoSansSyriac-Regular", language.Tai_Tham: "NotoSansTaiTham-Bold",
	language.Tamil: "NotoSansTamil-Bold", language.Telugu: "NotoSansTelugu-Bold", language.Thaana: "NotoSansThaana-Bold",
	language.Thai: "NotoSansThai-Bold", language.Tibetan: "NotoSerifTibetan-Bold", language.Tifinagh: "NotoSansTifinagh-Regular",
	language.Vai: "NotoSansVai-Regular", language.Yi: "NotoSansYi-Regular",
}

// Fonts holds font files by their names without extensions. The zero value has none.
type Fonts struct {
	files map[string]string
	keep  int64
}

// Find returns the fonts that a card may need from these folders, not from their subfolders. It opens none of the
// files.
func Find(folders ...string) Fonts {
	f := Fonts{files: map[string]string{}}
	for _, folder := range folders {
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		f.look(folder, append([]string{general}, symbols...)...)
		for _, name := range scripts {
			f.look(folder, name)
		}
	}
	return f
}

// look records those of the named fonts that lie in a folder, unless an earlier folder had them.
func (f Fonts) look(folder string, fonts ...string) {
	for _, name := range fonts {
		for _, ending := range [...]string{".ttf", ".otf", ".ttc"} {
			file := filepath.Join(folder, name+ending)
			if info, err := os.Stat(file); f.files[name] == "" && err == nil && info.Mode().IsRegular() {
				f.files[name] = file
			}
		}
	}
}

// Keep returns the same fonts with a memory cache of at most that many bytes for those used last.
func (f Fonts) Keep(bytes int64) Fonts {
	f.keep = bytes
	return f
}

// Len returns the number of fonts.
func (f Fonts) Len() int { return len(f.files) }

// Names returns the names of the fonts: cards look different with other fonts.
func (f Fonts) Names() string { return strings.Join(slices.Sorted(maps.Keys(f.files)), " ") }

// open reads a font and returns its face and the length of its file. Of a collection it reads the font of that family,
// or else the first.
func (f Fonts) open(name, family string) (*font.Face, int64, error) {
	file, err := os.Open(f.files[name])
	if err != nil {
		return nil, 0, err
	}
	defer file.Close() // everything needed of it is read at once
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	loaders, err := opentype.NewLoaders(file)
	if err != nil {
		return nil, 0, err
	}
	chosen := 0
	if len(loaders) > 1 {
		chosen = max(0, slices.IndexFunc(loaders, func(l *opentype.Loader) bool {
			described, _ := font.Describe(l, nil)
			return font.NormalizeFamily(described.Family) == font.NormalizeFamily(family)
		}))
	}
	read, err := font.NewFont(loaders[chosen])
	if err != nil {
		return nil, 0, err
	}
	return font.NewFace(read), info.Size(), nil
}

// The display face of the website, cut to the same characters, as its licence there allows.
//
//go:embed tilt-warp.ttf
var display []byte

// ownFaces holds the embedded fonts, in order of preference.
type ownFaces [2]*font.Face

func openOwn() ownFaces {
	var faces ownFaces
	for i, ttf := range [...][]byte{display, gobold.TTF} {
		face, err := font.ParseTTF(bytes.NewReader(ttf))
		if err != nil {
			panic(err)
		}
		faces[i] = face
	}
	return faces
}
