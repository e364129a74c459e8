import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonLook } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure } from '../ui/states.tsx'

export const NotFound = () => (
  <Page title="Nothing here">
    <Empty
      icon={Compass}
      title="There is no such page"
      action={
        <Link to="/" className={buttonLook()}>
          Go to the start
        </Link>
      }
    >
      The address may be mistyped, or what was here has been deleted.
    </Empty>
  </Page>
)

/** A screen that threw an error: what is wrong, and a reload to try again. */
export const ScreenFailed = ({ error }: ErrorComponentProps) => (
  <Page title="This page failed">
    <Failure
      error={error instanceof Error ? error : new Error(String(error))}
      onRetry={() => location.reload()}
    />
  </Page>
)
