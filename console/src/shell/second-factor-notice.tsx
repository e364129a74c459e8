import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { useHere } from './organization.tsx'

/** Says what to do where the organization requires a second factor that this session has not shown. */
export function SecondFactorNotice() {
  const { organization } = useHere()
  const isRequired = organization.require_second_factor
  const factors = useQuery({ ...read('GET /api/auth/factors', {}), enabled: isRequired })
  if (!isRequired || !factors.data || factors.data.in_this_session) return null
  return (
    <p role="status" className="border-b border-line bg-warning-soft px-4 py-2 text-sm text-warning">
      {organization.name} requires a second factor.{' '}
      {factors.data.factors.length > 0 ? (
        'Sign out, and sign in again with yours.'
      ) : (
        <>
          <Link to="/account" className="font-medium underline">
            Set up a passkey or an authenticator app
          </Link>{' '}
          to use it.
        </>
      )}
    </p>
  )
}
