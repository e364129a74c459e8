import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchConnection } from './api/connection.ts'
import { queryClient } from './api/queries.ts'
import { session } from './api/session.ts'
import { loadText, locale } from './messages/index.ts'
import { router } from './router.tsx'
import { loadScreen } from './shell/late-screen.ts'
import { loadOwn } from './shell/own.ts'
import { loadChunk, removeFailedLinks } from './ui/chunks.ts'
import { ConfirmProvider } from './ui/confirm.tsx'
import { PageNotice } from './ui/page-notice.tsx'
import { ToastProvider } from './ui/toast.tsx'

// The page's Content-Security-Policy allows style elements created by libraries only with this nonce.
setNonce(document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')
document.documentElement.lang = locale

removeFailedLinks()
watchConnection()

// The first screen, its messages and its data load at the same time. Signed-out users usually have to sign in.
loadScreen(router, session.isSignedIn() ? location.pathname : '/sign_in')
if (session.isSignedIn()) loadOwn(queryClient)
void loadText('first', loadChunk).then(show)

function show(): void {
  createRoot(document.getElementById('console') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <div className="flex h-full flex-col">
          <PageNotice />
          <div className="min-h-0 grow">
            <ToastProvider>
              <ConfirmProvider>
                <RouterProvider router={router} />
              </ConfirmProvider>
            </ToastProvider>
          </div>
        </div>
      </QueryClientProvider>
    </StrictMode>,
  )
}
