import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EditorSkeleton } from './editor-skeleton.tsx'
import { Page } from './page.tsx'
import { Loaded } from './states.tsx'

interface PendingPageProps {
  query: UseQueryResult
  /** The record's name, if an earlier page has loaded it (api/known-name.ts). */
  name: string | undefined
  /** The kind of record: the title of a page whose record cannot be loaded. */
  kind: string
  above: ReactNode
  wide?: boolean
  skeleton?: ReactNode
}

/** The page of a record that is loading, or that cannot be loaded. */
export const PendingPage = ({
  query,
  name,
  kind,
  skeleton = <EditorSkeleton />,
  ...layout
}: PendingPageProps) => (
  <Page title={name ?? (query.error ? kind : null)} {...layout}>
    <Loaded query={query} skeleton={skeleton}>
      {() => null}
    </Loaded>
  </Page>
)
