import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'
import { createStemmer, type Stemmer } from '#platform/retrieval/stems.ts'

/** Stems by PostgreSQL's dictionaries, which are no tenant's; what it remembers serves all. */
export const openStemmer = (database: Database): Stemmer => createStemmer(systemSql(database))
