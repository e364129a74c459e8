-- Rejects TRUNCATE on the ledger and the audit log.
CREATE OR REPLACE FUNCTION public.refuse_truncate()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% are never changed', replace(tg_table_name, '_', ' ') using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();

CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
