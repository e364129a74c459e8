-- Rejects changes that would restore an organization or account that is being deleted.
CREATE OR REPLACE FUNCTION public.refuse_reopening()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% that are being deleted do not come back', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER organizations_stay_closed BEFORE UPDATE OF closed_at ON organizations FOR EACH ROW WHEN (old.closed_at IS NOT NULL AND new.closed_at IS DISTINCT FROM old.closed_at) EXECUTE FUNCTION refuse_reopening();

CREATE TRIGGER users_stay_gone BEFORE UPDATE OF leaving ON users FOR EACH ROW WHEN (old.leaving IS NOT NULL AND new.leaving IS NULL) EXECUTE FUNCTION refuse_reopening();
