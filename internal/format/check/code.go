package check

// A Code names a kind of finding. It never changes.
type Code string

// The codes, in the order in which findings are reported.
const (
	CutOff        Code = "cut_off"
	DoesNotParse  Code = "does_not_parse"
	Elided        Code = "elided"
	MissingFile   Code = "missing_file"
	WrongCase     Code = "wrong_case"
	NotBuilt      Code = "not_built"
	BareImport    Code = "bare_import"
	AbsolutePath  Code = "absolute_path"
	LocalAddress  Code = "local_address"
	MixedContent  Code = "mixed_content"
	OtherHosts    Code = "other_hosts"
	FeatureOff    Code = "feature_off"
	NeedsThreads  Code = "needs_threads"
	SoundTooEarly Code = "sound_before_gesture"
	SDKElsewhere  Code = "sdk_elsewhere"
	SDKLate       Code = "sdk_late"
	StorageLost   Code = "storage_lost"
	NoViewport    Code = "no_viewport"
	NoTitle       Code = "no_title"
	NoTouch       Code = "no_touch"
	SlowOnPhones  Code = "slow_on_phones"
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		CutOff, DoesNotParse, Elided, MissingFile, WrongCase, NotBuilt, BareImport, AbsolutePath, LocalAddress, MixedContent, OtherHosts,
		FeatureOff, NeedsThreads, SoundTooEarly, SDKElsewhere, SDKLate, StorageLost, NoViewport, NoTitle, NoTouch, SlowOnPhones,
	}
}

// A Finding is one probable fault: Message describes it and its place, Hint says how to fix it.
type Finding struct {
	Code    Code
	Message string
	Hint    string
	Lacks   string // the name of the missing file, for MissingFile
}
