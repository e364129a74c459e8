import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { translator } from '../messages/index.ts'
import { buttonLook } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

const t = translator('shell')

export const NotFound = () => (
  <Page title={t('notFound.title')}>
    <Empty
      icon={Compass}
      title={t('notFound.nothing')}
      action={
        <Link to="/" className={buttonLook()}>
          {t('notFound.goHome')}
        </Link>
      }
    >
      {t('notFound.reason')}
    </Empty>
  </Page>
)
