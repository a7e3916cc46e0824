package sqlite

/*
typedef struct sqlite3 sqlite3;
int sqlite3_auto_extension(void (*)(void));
int sqlite3_db_config(sqlite3 *, int, ...);

// SQLITE_DBCONFIG_* in SQLite's interface.
enum { enableQPSG = 1007, defensive = 1010, trustedSchema = 1017 };

// Only plans may be what the library makes of them: without the others nothing is opened.
static int setUp(sqlite3 *db, char **message, const void *api) {
	sqlite3_db_config(db, enableQPSG, 1, (int *)0);
	int failed = sqlite3_db_config(db, defensive, 1, (int *)0);
	return failed ? failed : sqlite3_db_config(db, trustedSchema, 0, (int *)0);
}

static void pictxSetUp(void) { sqlite3_auto_extension((void (*)(void))setUp); }
*/
import "C"

// setUpConnections sets what the driver has no function for, in every connection of the
// process that is opened from now on. Calling it again changes nothing.
//
// The schema of a file that somebody else made runs no function with side effects, and no
// statement writes to the schema itself or to the tables in which FTS5 keeps its indexes.
//
// A statement is planned once, whatever is bound to its parameters. Otherwise SQLite prepares
// one with "LIMIT ?" again for each other limit, and one with "x = ?" when the value becomes
// or stops being 0 or 1. FTS5 looks up every word in every segment with such a statement, and
// there mostly is a segment 1: two of three statements that a search prepared were those.
func setUpConnections() { C.pictxSetUp() }
