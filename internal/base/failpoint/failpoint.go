// Package failpoint names the places in the program where a crash would hurt most, and lets a test have the process
// killed there.
//
// A crash at a random moment seldom falls between a commit and its answer. So the code calls [Hit] in such places:
//
//	failpoint.Hit(failpoint.BeforeCommit)
//
// In the released program Hit is an empty function, which the compiler leaves out. In a build with the tag
// "failpoints", variables control it:
//
//	SANDLOT_TEST_FAILPOINT=before-commit:3   SIGKILL at the third time the point is reached
//	SANDLOT_TEST_HITS=FILE                   append each point's name to FILE, at its first time in the process
//	CLOCK_AHEAD=240                          the clock of the process is four minutes ahead (amd64)
//
// The program that kills is the package crash, at the root of the module. A new point is a constant and a row of [All];
// the crash test fails if it is never reached.
package failpoint

// A Point is a place in the program.
type Point string

// The points, in the order in which a request passes them.
const (
	MidFolders       Point = "mid-folders"        // blob: the folders are made, their entries not yet synced
	TempMade         Point = "temp-made"          // blob: there is an empty temporary file
	MidWrite         Point = "mid-write"          // blob: some of the bytes are written
	BeforeFileSync   Point = "before-file-sync"   // blob: all of the bytes are written
	AfterFileSync    Point = "after-file-sync"    // blob: and synced
	BeforeRename     Point = "before-rename"      // blob: the file is closed
	BeforeFolderSync Point = "before-folder-sync" // blob: the file has its name
	AfterFolderSync  Point = "after-folder-sync"  // blob: durable; no record knows of it
	Stored           Point = "stored"             // blob/s3: the bucket has the bytes; no record knows of them
	MidBackup        Point = "mid-backup"         // blob: a blob is in the backup, others follow

	MidMigration Point = "mid-migration" // sqlstore: a migration's statements ran, its number is not recorded
	BeforeCommit Point = "before-commit" // sqlstore: the steps ran
	AfterCommit  Point = "after-commit"  // sqlstore: durable, no caller knows of it yet
	MidSweep     Point = "mid-sweep"     // sqlstore: some records of a sweep are deleted, none committed

	MidAssembly   Point = "mid-assembly"   // publish: a part was copied, others follow
	AfterAssembly Point = "after-assembly" // publish: the whole file is stored, the upload is open
	MidCollection Point = "mid-collection" // publish: a blob is deleted, others follow
	MidMail       Point = "mid-mail"       // publish: a message is sent, its job not yet closed

	MidVariant   Point = "mid-variant"   // squeeze: a variant is stored, no record knows of it
	BeforeAnswer Point = "before-answer" // api: a change is done, none of its answer is sent
)

// All returns every point, in that order.
func All() []Point {
	return []Point{
		MidFolders, TempMade, MidWrite, BeforeFileSync, AfterFileSync, BeforeRename, BeforeFolderSync, AfterFolderSync, Stored, MidBackup,
		MidMigration, BeforeCommit, AfterCommit, MidSweep,
		MidAssembly, AfterAssembly, MidCollection, MidMail,
		MidVariant, BeforeAnswer,
	}
}
