-- Adds the contents of a new knowledge base.
CREATE OR REPLACE FUNCTION public.add_kb_contents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into kb_contents (id, organization_id) values (new.id, new.organization_id);
  return null;
end $function$;

CREATE TRIGGER knowledge_bases_added AFTER INSERT ON knowledge_bases FOR EACH ROW EXECUTE FUNCTION add_kb_contents();
