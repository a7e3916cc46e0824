package sqlite

/*
typedef struct sqlite3 sqlite3;
int sqlite3_auto_extension(void (*)(void));
int sqlite3_db_config(sqlite3 *, int, ...);

// SQLITE_DBCONFIG_ENABLE_QPSG in SQLite's interface.
enum { stablePlans = 1007 };

// A library that does not know the setting is no reason for failing to open a database.
static int keepPlans(sqlite3 *db, char **message, const void *api) {
	sqlite3_db_config(db, stablePlans, 1, (int *)0);
	return 0;
}

static void pictxKeepPlans(void) { sqlite3_auto_extension((void (*)(void))keepPlans); }
*/
import "C"

// keepPlans has the connections that are opened from now on plan a statement once, whatever
// is bound to its parameters: SQLite calls that its query planner stability guarantee.
// Without it SQLite prepares a statement with "LIMIT ?" again for each other limit, and one
// with "x = ?" when the value becomes or stops being 0 or 1. FTS5 looks up every word in
// every segment with such a statement, and there mostly is a segment 1: two of three
// statements that a search prepared were those, twice for each word.
//
// The driver has no function for this setting, but links the library that it sets. Calling
// it again changes nothing.
func keepPlans() { C.pictxKeepPlans() }
