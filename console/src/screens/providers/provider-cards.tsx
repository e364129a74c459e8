import type { LanguageModel } from '@parley/client/schemas'
import { lazy, Suspense, useState } from 'react'
import { loadText, translator } from '../../messages/index.ts'
import { Logo } from '../../ui/avatar.tsx'
import { loadChunk } from '../../ui/chunks.ts'
import { CONNECTABLE, type Connectable, properNameOf } from './provider-list.ts'

const t = translator('home')

/** Loaded in a separate chunk with its text, because most users never connect a provider. */
const ConnectDialog = lazy(() =>
  loadChunk(async () => {
    await loadText('rest')
    return import('./connect-dialog.tsx')
  }),
)

interface ProviderCardsProps {
  /** The label of the button that adds the chosen models. */
  action: string
  onAdded: (models: LanguageModel[]) => void
}

/** A button for each provider, which opens the dialog that connects it. */
export function ProviderCards({ action, onAdded }: ProviderCardsProps) {
  const [provider, setProvider] = useState<Connectable | null>(null)
  const close = () => setProvider(null)
  const add = (models: LanguageModel[]) => {
    close()
    onAdded(models)
  }
  return (
    <>
      <ul aria-label={t('setup.providers')} className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {CONNECTABLE.map((one) => (
          <li key={one}>
            <button
              type="button"
              onClick={() => setProvider(one)}
              className="flex min-h-12 w-full items-center gap-2.5 rounded-xl border border-line bg-raised px-3 py-2 text-left text-sm font-medium hover:bg-hover"
            >
              <Logo name={one} />
              <span className="min-w-0 break-words">{properNameOf(one) ?? t('setup.compatible')}</span>
            </button>
          </li>
        ))}
      </ul>
      {provider && (
        <Suspense>
          <ConnectDialog
            provider={provider}
            connection={null}
            action={action}
            onAdded={add}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  )
}
