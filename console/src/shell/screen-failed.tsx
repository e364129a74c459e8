import type { ErrorComponentProps } from '@tanstack/react-router'
import { translator } from '../messages/index.ts'
import { Page } from '../ui/page.tsx'
import { Failure } from '../ui/states.tsx'

const t = translator('shell')

/** Replaces a screen that threw an error. The retry button reloads the page. */
export const ScreenFailed = ({ error }: ErrorComponentProps) => (
  <Page title={t('failed')}>
    <Failure
      error={error instanceof Error ? error : new Error(String(error))}
      onRetry={() => location.reload()}
    />
  </Page>
)
