import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { queryClient } from '../api/queries.ts'
import { translator } from '../messages/index.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { signOut } from '../ui/deletions.ts'
import { Empty } from '../ui/states.tsx'

const t = translator('shell')

/** For the button with the console's longest label, which takes two lines on phones in some languages. */
const WRAPS_ON_PHONES =
  'max-w-full max-sm:h-auto max-sm:min-h-9 max-sm:py-1.5 max-sm:text-center max-sm:whitespace-normal'

/** Explains how to add or use a second factor. */
export default function SecondFactorRequired({ hasFactor }: { hasFactor: boolean }) {
  const signInAgain = () => void signOut().then(() => queryClient.clear())
  return (
    <Empty
      icon={ShieldCheck}
      title={t('secondFactor.title')}
      action={
        hasFactor ? (
          <Button kind="primary" onClick={signInAgain}>
            {t('secondFactor.signInAgain')}
          </Button>
        ) : (
          <Link to="/account" className={classNames(buttonLook('primary'), WRAPS_ON_PHONES)}>
            {t('secondFactor.setUp')}
          </Link>
        )
      }
    >
      {hasFactor ? t('secondFactor.unused') : t('secondFactor.none')}
    </Empty>
  )
}
