import { Link, useNavigate } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { buttonLook } from '../../ui/button.tsx'
import { ProviderCards } from '../providers/provider-cards.tsx'

const t = translator('home')

/** Asks for the first language model of an organization. Leads to a new chat with it, or with the demo. */
export function ConnectPanel() {
  const navigate = useNavigate()
  return (
    <div className="flex flex-col gap-4 rounded-2xl border border-line bg-raised p-5">
      <div>
        <h3 className="font-medium">{t('setup.title')}</h3>
        <p className="text-sm text-muted">{t('setup.hint')}</p>
      </div>
      <ProviderCards action={t('setup.start')} onAdded={() => void navigate({ to: '/chats' })} />
      <p className="flex flex-wrap items-center gap-3 text-sm text-muted">
        <Link to="/chats" className={buttonLook('secondary', 'small')}>
          {t('setup.demo')}
        </Link>
        {t('setup.demoHint')}
      </p>
    </div>
  )
}
