package card

import (
	"slices"

	"github.com/go-text/typesetting/font"
)

// MostKept is the useful size of the font cache in bytes: room for the East Asian font, of 20 MB, and some others.
const MostKept = 24 << 20

// A shelf caches the fonts used last while their files add up to at most most bytes. A larger font is opened again for
// each card.
type shelf struct {
	most, bytes int64
	kept        []keptFace // the last is the one used last
}

type keptFace struct {
	name, family string
	face         *font.Face
	bytes        int64
}

// get returns a font, from the shelf or from its file.
func (s *shelf) get(fonts Fonts, name, family string) (*font.Face, error) {
	at := slices.IndexFunc(s.kept, func(k keptFace) bool { return k.name == name && k.family == family })
	if at >= 0 {
		k := s.kept[at]
		s.kept = append(slices.Delete(s.kept, at, at+1), k)
		return k.face, nil
	}
	face, bytes, err := fonts.open(name, family)
	if err == nil && bytes <= s.most {
		s.put(keptFace{name, family, face, bytes})
	}
	return face, err
}

func (s *shelf) put(k keptFace) {
	s.kept, s.bytes = append(s.kept, k), s.bytes+k.bytes
	for s.bytes > s.most {
		s.bytes -= s.kept[0].bytes
		s.kept = slices.Delete(s.kept, 0, 1)
	}
}
