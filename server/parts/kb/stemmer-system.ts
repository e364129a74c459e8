import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'
import { createStemmer, type Stemmer } from '#platform/retrieval/stems.ts'

/** Stems with PostgreSQL's dictionaries; its cache contains no tenant data and serves all organizations. */
export const openStemmer = (database: Database): Stemmer => createStemmer(systemSql(database))
