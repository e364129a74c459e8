import type { QueryKey, UseInfiniteQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Item, type PagedOperation, type Query, readPages } from '../api/queries.ts'

export interface Choice {
  id: string
  name: string
  note?: ReactNode
}

export type ChoicePages = UseInfiniteQueryOptions<unknown, Error, Choice[], QueryKey, string | undefined>

/** Choices that the server lists page by page, and searches. */
export interface ChoiceList {
  /** The heading above the choices of this list. */
  heading: string | undefined
  /** Returns the query of the choices that contain the words of `q`. */
  pages: (q: string) => ChoicePages
}

/** The number of records in one page of choices: the maximum of the API. */
export const CHOICES_PAGE = 100

/**
 * Returns the choices of a list of the API. Lists each choice once.
 *
 * @param choiceOf returns the choice of a record, or null if the user cannot choose the record
 */
export const listChoices = <O extends PagedOperation>(
  operation: O,
  query: Omit<Query<O>, 'q' | 'limit' | 'cursor'>,
  choiceOf: (record: Item<O>) => Choice | null,
  heading?: string,
): ChoiceList => ({
  heading,
  pages(q) {
    const pages = readPages(operation, { ...query, ...(q && { q }), limit: CHOICES_PAGE } as Query<O>)
    return {
      ...pages,
      select(data: Parameters<NonNullable<typeof pages.select>>[0]) {
        const choices = pages.select?.(data).flatMap((record) => choiceOf(record) ?? []) ?? []
        return [...new Map(choices.map((choice) => [choice.id, choice])).values()]
      },
    } as unknown as ChoicePages
  },
})
