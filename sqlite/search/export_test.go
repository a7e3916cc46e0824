package search

// What the tests that pin the plans of queries need.
type Span = span

var (
	AnswersQuery = answersQuery
	FindQuery    = findQuery
	KindQuery    = kindQuery
	MatchQuery   = matchQuery
	ScanQuery    = scanQuery
	Spell        = literal
)

const (
	DueQuery      = dueQuery
	LackingQuery  = lackingQuery
	PromptsQuery  = promptsQuery
	ReplacedQuery = replacedQuery
	SpanQuery     = spanQuery
	TurnsQuery    = turnsQuery
)

// AloneTexts is how many texts of a scan the goroutine that reads them inspects itself.
const AloneTexts = aloneTexts
