import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'
import { createStemmer, type Stemmer } from '#platform/retrieval/stems.ts'

/**
 * Returns a stemmer that uses PostgreSQL's dictionaries. Its cache contains no tenant data, so all organizations
 * share the stemmer.
 */
export const openStemmer = (database: Database): Stemmer => createStemmer(systemSql(database))
